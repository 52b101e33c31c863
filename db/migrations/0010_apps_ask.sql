-- Whether an app's code can send requests to the server, as its build found out. Null for apps that were built before.
alter table apps add column asks boolean;
