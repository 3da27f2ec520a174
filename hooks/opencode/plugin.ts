// borgd's plugin for opencode: tells the daemon what happens, does what it answers. `borg install opencode` has it loaded.
//
// Promises that no failure of ours stops or delays a tool call, a prompt or a turn beyond its deadline, and that of several
// copies in one process only the last acts. What each answer's keys mean is said in borgd/agents/opencode/hooks.py.

import { Daemon, type Fields } from "../plugin/socket.ts"

/** host: a permission that is answered sooner was answered by opencode itself; nobody was asked. */
const DEBOUNCE_MS = 300
/** guard: characters kept of what the agent said last. */
const SAID_CHARS = 20_000
/** guard: sessions and calls remembered. */
const REMEMBERED = 500

type Text = { type: "text"; text: string; synthetic?: boolean }
type Asked = { agent?: string; model?: { providerID: string; modelID: string }; variant?: string; parts: Text[] }
type Host = {
  client: {
    session: {
      get(options: { path: { id: string } }): Promise<{ data?: { parentID?: string; directory?: string } }>
      promptAsync(options: { path: { id: string }; body: Asked }): Promise<unknown>
    }
    postSessionIdPermissionsPermissionId?(options: {
      path: { id: string; permissionID: string }
      body: { response: "reject" }
    }): Promise<unknown>
    tui?: { showToast?(options: { body: { message: string; variant: "info" } }): Promise<unknown> }
  }
  directory: string
}
type Origin = { root: string; directory: string }

const record = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})
const text = (value: unknown): string => (typeof value === "string" ? value : "")

class Kept<T> extends Map<string, T> {
  override set(key: string, value: T): this {
    super.delete(key)
    super.set(key, value)
    for (const oldest of this.keys()) {
      if (this.size <= REMEMBERED) break
      super.delete(oldest)
    }
    return this
  }
}

/** In which copy of us the hooks of a directory act: the one that was loaded last. */
const acting: Map<string, symbol> = ((globalThis as Fields)["borgd.opencode"] ??= new Map()) as Map<string, symbol>

const daemon = new Daemon("opencode")

export const Borgd = async (host: Host) => {
  const me = Symbol("borgd")
  acting.set(host.directory, me)
  const acts = () => acting.get(host.directory) === me
  const headless = process.argv.slice(1, 4).includes("run")
  const words = headless ? "attended.0" : ""
  const origins = new Kept<Promise<Origin>>()
  const starting = new Kept<Promise<unknown>>()
  const speakers = new Kept<Omit<Asked, "parts">>()
  const said = new Kept<{ message: string; text: string }>()
  const again = new Kept<boolean>()
  const broken = new Kept<boolean>()
  const idle = new Kept<boolean>()
  const commands = new Kept<boolean>()
  const waiting = new Kept<string[]>()
  const denied = new Kept<boolean>()
  const permissions = new Kept<ReturnType<typeof setTimeout>>()
  let turns = 0

  /** The session that a person talks to, for a subagent's as well, and where it works. */
  function origin(id: string): Promise<Origin> {
    let found = origins.get(id)
    if (!found) {
      found = lookUp(id)
      origins.set(id, found)
    }
    return found
  }

  async function lookUp(id: string): Promise<Origin> {
    const here = { root: id, directory: host.directory }
    try {
      const info = (await within(host.client.session.get({ path: { id } }), 200))?.data
      const parent = info?.parentID
      const root = parent && parent !== id ? (await origin(parent)).root : id
      return { root, directory: info?.directory || host.directory }
    } catch {
      return here
    }
  }

  function learn(id: string, info: Fields): void {
    const parent = text(info.parentID)
    const directory = text(info.directory) || host.directory
    origins.set(id, parent ? origin(parent).then(({ root }) => ({ root, directory })) : Promise.resolve({ root: id, directory }))
  }

  /** Tell an event of a session; texts that have to wait are kept, notes are shown. */
  async function tell(event: string, id: string, value: Fields, options: { long?: boolean; starts?: boolean } = {}): Promise<Fields> {
    const { root, directory } = await origin(id)
    const answer = await daemon.ask(event, { ...value, root, directory, headless }, { ...options, words })
    if (text(answer.later)) waiting.set(id, [...(waiting.get(id) ?? []), text(answer.later)])
    if (text(answer.toast)) {
      void Promise.resolve(host.client.tui?.showToast?.({ body: { message: text(answer.toast), variant: "info" } })).catch(() => {})
    }
    return answer
  }

  function waited(id: string): string[] {
    const texts = waiting.get(id) ?? []
    waiting.delete(id)
    return texts
  }

  /** A hook of ours that cannot fail: a throw in one of opencode's hooks stops what it was called for. */
  const safely =
    <I, O>(work: (input: I, output: O) => Promise<void>) =>
    async (input: I, output: O): Promise<void> => {
      if (!acts()) return
      try {
        await work(input, output)
      } catch (error) {
        if (error instanceof Refusal) throw new Error(error.message)
      }
    }

  async function stopped(id: string): Promise<void> {
    if (idle.get(id)) return // both of opencode's events for it come
    idle.set(id, true)
    if (broken.get(id)) return // interrupted or failed: nobody goes on
    const { root } = await origin(id)
    const value = { input: { sessionID: id }, last_assistant_message: said.get(id)?.text ?? "", stop_hook_active: again.get(id) === true }
    const answer = await tell("session.idle", id, value, { long: true })
    if (!text(answer.prompt) || root !== id || headless || idle.get(id) !== true) return
    again.set(id, true)
    const parts: Text[] = [{ type: "text", text: text(answer.prompt) }]
    await host.client.session.promptAsync({ path: { id }, body: { ...speakers.get(id), parts } })
  }

  function permission(id: string, given: Fields): void {
    const request = text(given.id)
    const timer = setTimeout(() => {
      permissions.delete(request)
      void tell("permission.asked", id, { input: given }).then((answer) => {
        if (!text(answer.reject)) return
        const path = { id, permissionID: request }
        return host.client.postSessionIdPermissionsPermissionId?.({ path, body: { response: "reject" } })
      }).catch(() => {})
    }, DEBOUNCE_MS)
    timer.unref?.()
    permissions.set(request, timer)
  }

  async function happened(type: string, given: Fields): Promise<void> {
    const info = record(given.info)
    const id = text(given.sessionID) || (type.startsWith("session.") ? text(info.id) : "")
    switch (type) {
      case "session.created": {
        learn(id, info)
        if (text(info.parentID)) return
        const started = tell(type, id, { input: given }, { long: true, starts: true })
        starting.set(id, started)
        await started
        return
      }
      case "session.updated":
        learn(id, info)
        return
      case "session.compacted":
        await tell(type, id, { input: given }, { long: true })
        return
      case "session.deleted":
        await tell(type, id, { input: given })
        return
      case "session.error":
        if (id) broken.set(id, true)
        return
      case "session.status":
        if (text(record(given.status).type) === "idle") await stopped(id)
        else idle.delete(id)
        return
      case "session.idle":
        await stopped(id)
        return
      case "permission.asked":
        permission(id, given)
        return
      case "permission.replied":
        clearTimeout(permissions.get(text(given.requestID)))
        permissions.delete(text(given.requestID))
        return
      case "question.asked":
        await tell(type, id, { input: given })
        return
      case "message.part.updated": {
        const part = record(given.part)
        if (part.type !== "tool" || record(part.state).status !== "error") return
        const call = text(part.callID)
        if (denied.has(call)) return // it was ours to refuse: it never ran
        denied.set(call, true)
        await tell(type, text(part.sessionID), { input: { sessionID: part.sessionID, part } })
        return
      }
    }
  }

  return {
    event: async ({ event }: { event: { type: string; properties?: Fields } }) => {
      if (!acts()) return
      void happened(event.type, record(event.properties)).catch(() => {})
    },

    "command.execute.before": safely(async (input: Fields, output: { parts: unknown[] }) => {
      const id = text(input.sessionID)
      commands.set(id, true)
      const promptID = `command-${++turns}-${Date.now()}`
      const answer = await tell("command.execute.before", id, { input, promptID }, { long: true, starts: true })
      output.parts.push(...((answer.parts as Text[] | undefined) ?? []))
    }),

    "chat.message": safely(async (input: Fields, output: { message: Fields; parts: unknown[] }) => {
      const id = text(input.sessionID)
      await within(starting.get(id), 1000)
      const { agent, model, variant } = { ...input, ...output.message } as Omit<Asked, "parts">
      speakers.set(id, { ...(agent && { agent }), ...(model && { model }), ...(variant && { variant }) })
      broken.delete(id)
      idle.delete(id)
      said.delete(id)
      const parts = output.parts.map(record).filter((part) => part.type === "text")
      const typed = parts.filter((part) => part.synthetic !== true).map((part) => text(part.text)).join("\n")
      if (!typed.trimStart().startsWith("[borg]")) again.delete(id)
      const machine = commands.delete(id)
      const value = { input, output: { message: output.message, parts }, machine, agent }
      const answer = await tell("chat.message", id, value, { long: true, starts: true })
      const told = [...waited(id), ...((answer.parts as Text[] | undefined) ?? []).map((part) => text(part.text))].filter(Boolean)
      const last = text(record(output.parts[output.parts.length - 1]).id) || `prt_${Date.now().toString(16)}`
      told.forEach((text, number) => {
        const own = { id: `${last}borg${number}`, sessionID: id, messageID: output.message.id }
        output.parts.push({ ...own, type: "text", text, synthetic: true })
      })
    }),

    "tool.execute.before": safely(async (input: Fields, output: { args: Fields }) => {
      const id = text(input.sessionID)
      const answer = await tell("tool.execute.before", id, { input, output: { args: output.args } })
      if (text(answer.throw)) {
        denied.set(text(input.callID), true)
        throw new Refusal(text(answer.throw))
      }
      if (typeof answer.args === "object" && answer.args !== null) Object.assign(output.args, answer.args)
    }),

    "tool.execute.after": safely(async (input: Fields, output: { output?: unknown; metadata?: unknown; title?: unknown }) => {
      const id = text(input.sessionID)
      const { title, metadata } = output
      const answer = await tell("tool.execute.after", id, { input, output: { title, metadata, output: output.output } })
      const told = [...waited(id), text(answer.output)].filter(Boolean)
      if (!told.length) return
      if (typeof output.output === "string") output.output = [output.output, ...told].join("\n\n")
      else waiting.set(id, told)
    }),

    "experimental.text.complete": safely(async (input: Fields, output: { text: string }) => {
      const id = text(input.sessionID)
      const [message, before] = [text(input.messageID), said.get(id)]
      const parts = [before?.message === message ? before.text : "", text(output.text)]
      said.set(id, { message, text: parts.filter(Boolean).join("\n").slice(-SAID_CHARS) })
    }),

    dispose: async () => {
      if (acts()) acting.delete(host.directory)
      for (const timer of permissions.values()) clearTimeout(timer)
    },
  }
}

class Refusal extends Error {}

/** What `work` comes to within `ms` milliseconds, else nothing. */
async function within<T>(work: Promise<T> | undefined, ms: number): Promise<T | undefined> {
  if (!work) return undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)))
  try {
    return await Promise.race([work, late])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
