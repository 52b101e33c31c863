/** An example program with every type of step. */
export const EXAMPLE = [
  { "type": "mutation", "id": "start", "set": { "base": "EUR", "limit": 4.5 } },
  {
    "type": "connector",
    "id": "rates",
    "connector_code": "fx",
    "method": "latest",
    "params": { "base": "{base}", "n": 1 },
    "timeout": 30,
    "retry": {
      "attempts": 3,
      "delay": 2,
      "backoff": "exponential",
      "max_delay": 60,
      "on": ["network", "timeout", 429, "5xx"],
    },
    "on_error": "stop",
  },
  { "type": "mutation", "id": "pick", "set": { "price": "{json_object.rates.0.mid}" } },
  {
    "type": "record",
    "id": "save",
    "action": "upsert",
    "db_code": "prices",
    "match": { "day": "{run.date}" },
    "data": { "day": "{run.date}", "price": "{price}" },
  },
  {
    "type": "if",
    "id": "high",
    "condition": { "left": "{json_object.rates.0.mid}", "operator": "gt", "right": "{limit}" },
    "then": [{
      "type": "connector",
      "id": "alert",
      "connector_code": "sms",
      "method": "send",
      "body": { "text": "Price {price}" },
      "on_error": "continue",
    }],
    "else": [],
  },
  { "type": "return", "data": { "price": "{price}" } },
];
