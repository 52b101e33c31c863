/**
 * A compile worker in a thread of the server, for a host that starts no processes. It has the permissions of the process,
 * except to start esbuild's, whose WebAssembly it runs instead. A message is a line.
 */
import process from "node:process";

/** Libraries ask for variables, which a thread may not read: they are the server's. */
Object.defineProperty(process, "env", { value: {} });

/** Growth of the server's memory since the thread began. esbuild's WebAssembly takes half of it. */
const RETIRE_BYTES = 400 * 1024 * 1024;

addEventListener("message", (event) => {
  const [port] = event instanceof MessageEvent ? event.ports : [];
  if (port) void work(port);
});

async function work(port: MessagePort): Promise<void> {
  const lines = new TransformStream<string, string>();
  const writer = lines.writable.getWriter();
  port.onmessage = ({ data }) => void writer.write(data);
  const before = Deno.memoryUsage().rss;
  // After the environment is replaced, because libraries read it when they are loaded.
  const { answerRequests } = await import("./requests.ts");
  await answerRequests({
    requests: lines.readable,
    say: (line) => Promise.resolve(port.postMessage(line)),
    isSpent: () => Deno.memoryUsage().rss - before > RETIRE_BYTES,
    end: close,
  });
}
