/** What a start costs at least. */
Deno.serve({ port: Number(Deno.env.get("PORT")), hostname: "127.0.0.1", onListen: () => {} }, () => new Response("ok"));
