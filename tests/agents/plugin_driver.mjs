// Runs borgd's plugins outside their agents: commands come as lines of JSON on stdin, each is answered with one line.
//
// usage: node plugin_driver.mjs opencode|omp MODULE COPIES [word that stands in argv, as "run" does]
import { createInterface } from "node:readline"

const [agent, path, copies, ...words] = process.argv.slice(2)
process.argv = ["opencode", "main", ...words]
const called = []
const client = {
  session: {
    get: async ({ path }) => ({ data: { id: path.id, directory: "/w/orion", ...(path.id.startsWith("sub") && { parentID: "ses1" }) } }),
    promptAsync: async (options) => void called.push({ name: "promptAsync", options }),
  },
  postSessionIdPermissionsPermissionId: async (options) => void called.push({ name: "permission", options }),
  tui: { showToast: async (options) => void called.push({ name: "toast", options }) },
}
const hooks = []
const handlers = []
for (let copy = 0; copy < Number(copies); copy++) {
  const module = await import(`${path}?copy=${copy}`)
  if (agent === "opencode") hooks.push(await module.Borgd({ client, directory: "/w/orion", worktree: "/w/orion" }))
  else {
    const on = {}
    module.default({ on: (event, handler) => (on[event] ??= []).push(handler) })
    handlers.push(on)
  }
}

async function run(command) {
  if (command.events) for (const event of command.events) for (const one of hooks) await one.event({ event })
  if (command.hook) for (const one of hooks) await one[command.hook]?.(command.input, command.output)
  const returned = []
  if (command.emit) {
    const controller = new AbortController()
    if (command.abort === "before") controller.abort()
    if (command.abort === "meanwhile") setTimeout(() => controller.abort(), 20)
    const input = { ...command.input, ...(command.abort && { signal: controller.signal }) }
    const ui = { notify: (message) => called.push({ name: "notify", message }) }
    const manager = { getSessionId: () => command.session ?? "s1", getSessionFile: () => "/home/s1.jsonl", getHeader: () => ({}) }
    for (const on of handlers)
      for (const handler of on[command.emit] ?? [])
        returned.push((await handler(input, { sessionManager: manager, cwd: "/w/orion", hasUI: true, ui })) ?? null)
  }
  return { output: command.output, returned }
}

for await (const line of createInterface({ input: process.stdin })) {
  const started = performance.now()
  let result
  try {
    result = await run(JSON.parse(line))
  } catch (error) {
    result = { error: error.message }
  }
  process.stdout.write(`${JSON.stringify({ ...result, ms: performance.now() - started, called })}\n`)
}
process.exit(0)
