/** The API that the flows of the bench call. Environment: PORT. */
const port = Number(Deno.env.get("PORT"));
Deno.serve({ port, hostname: "127.0.0.1", onListen: () => {} }, () => Response.json({ rates: [{ mid: 4.7 }] }));
