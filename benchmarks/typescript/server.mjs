// The TypeScript SDK as a contestant, with its own defaults: node server.mjs [--many] (--stdio | PORT)
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod/v4";

const TOOLS = process.argv.includes("--many") ? 1000 : 1;
const total = z.object({ total: z.number().int() });

function answer(sum) {
  return { content: [{ type: "text", text: JSON.stringify({ total: sum }) }], structuredContent: { total: sum } };
}

function make() {
  const server = new McpServer({ name: "bench", version: "1.0" });
  const inputSchema = z.object({ a: z.number().int().describe("The first."), b: z.number().int().describe("The second.") });
  server.registerTool("add", { description: "Add two numbers.", inputSchema, outputSchema: total }, async ({ a, b }) => answer(a + b));
  for (let number = 1; number < TOOLS; number++) {
    const one = z.object({ value: z.number().int().describe("What to add to.") });
    const described = { description: `Add ${number} to a value.`, inputSchema: one, outputSchema: total };
    server.registerTool(`tool_${String(number).padStart(4, "0")}`, described, async ({ value }) => answer(value + number));
  }
  return server;
}

if (process.argv.includes("--stdio")) {
  serveStdio(make);
} else {
  createServer(toNodeHandler(createMcpHandler(make))).listen(Number(process.argv.at(-1)), "127.0.0.1");
}
