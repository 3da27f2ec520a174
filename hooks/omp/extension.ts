// borgd's extension for oh-my-pi: tells the daemon what happens, returns what it answers. `borg install omp` has it loaded.
//
// Promises that no failure of ours stops or delays a tool call (oh-my-pi takes an error there for a refusal), a prompt or a
// turn beyond its deadline, and that of several copies in one process one acts for a session. What each answer's keys mean is
// said in borgd/agents/omp/hooks.py.

import { Daemon, type Fields } from "../plugin/socket.ts"

/** host: an approval that is settled sooner was settled by oh-my-pi itself; nobody was asked. */
const DEBOUNCE_MS = 300

type Context = {
  sessionManager?: {
    getSessionId?(): string
    getSessionFile?(): string | undefined
    getHeader?(): { parentSession?: string } | null | undefined
  }
  cwd?: string
  hasUI?: boolean
  agent?: { kind?: string; id?: string; name?: string }
  ui?: { notify?(message: string, kind?: string): void }
}
type Handler = (event: Fields, context: Context) => Promise<Fields | undefined>
type Host = { on(event: string, handler: Handler): void }
type Options = { long?: boolean; starts?: boolean; signal?: AbortSignal }

const record = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})
const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** Which copy of us acts for a session: the one that saw it start last. */
const acting: Map<string, symbol> = ((globalThis as Fields)["borgd.omp"] ??= new Map()) as Map<string, symbol>
/** When each session last began, whichever copy of us told it. */
const begun: Map<string, number> = ((globalThis as Fields)["borgd.omp.begun"] ??= new Map()) as Map<string, number>
/** design: a session that begins twice within this many milliseconds did so once, as the daemon has it too. */
const SAME_START_MS = 5000
/** guard: sessions remembered in one process. */
const REMEMBERED = 500

const daemon = new Daemon("omp")

export default function extension(host: Host): void {
  const me = Symbol("borgd")
  const waiting: string[] = []
  const denied = new Set<string>()
  const approvals = new Map<string, ReturnType<typeof setTimeout>>()
  let prepared: { prompt: string; answer: Fields } | undefined
  let prompts = 0
  let promptID = ""

  /** The session, as far as it can be told from oh-my-pi's context; a subagent's with the session that it works for. */
  function session(context: Context): Fields & { id: string } {
    const { cwd, hasUI, agent } = context
    const id = text(context.sessionManager?.getSessionId?.())
    const file = text(context.sessionManager?.getSessionFile?.())
    const parentFile = text(context.sessionManager?.getHeader?.()?.parentSession)
    const inside = parentFile !== "" && file.startsWith(`${parentFile.replace(/\.jsonl$/, "")}/`)
    const parent = inside ? (/_([^_/]+)\.jsonl$/.exec(parentFile)?.[1] ?? "") : ""
    return { id, file, parent, cwd, hasUI, agent: { kind: agent?.kind, id: agent?.id, name: agent?.name } }
  }

  function claim(id: string): void {
    acting.delete(id)
    acting.set(id, me)
    for (const oldest of acting.keys()) {
      if (acting.size <= REMEMBERED) break
      acting.delete(oldest)
    }
  }

  function acts(id: string): boolean {
    if (!acting.has(id)) claim(id)
    return acting.get(id) === me
  }

  async function tell(event: string, input: Fields, context: Context, options: Options = {}, more: Fields = {}): Promise<Fields> {
    const ctx = session(context)
    const words = ctx.hasUI === true ? "attended.1" : "attended.0"
    const answer = await daemon.ask(event, { input, ctx, promptID, ...more }, { ...options, words })
    if (text(answer.later)) waiting.push(text(answer.later))
    if (text(answer.notify) && context.hasUI) context.ui?.notify?.(text(answer.notify), "info")
    const { later: _later, notify: _notify, ...rest } = answer
    return rest
  }

  /** Handle `event`; whatever goes wrong with us, oh-my-pi is told nothing. */
  function on(event: string, work: (input: Fields, context: Context) => Promise<Fields | undefined>): void {
    host.on(event, async (input, context) => {
      try {
        return acts(text(context.sessionManager?.getSessionId?.())) ? await work(input, context) : undefined
      } catch {
        return undefined
      }
    })
  }

  for (const event of ["session_start", "session_switch", "session_branch"]) {
    host.on(event, async (input, context) => {
      try {
        const id = text(context.sessionManager?.getSessionId?.())
        claim(id)
        const before = begun.get(id) ?? 0
        begun.set(id, Date.now())
        if (begun.size > REMEMBERED) begun.clear()
        if (Date.now() - before < SAME_START_MS) return undefined // another copy of us has told it
        await tell(event, { type: event, reason: input.reason }, context, { long: true, starts: true })
      } catch {
        // business as usual
      }
      return undefined
    })
  }

  on("session_compact", async (_input, context) => {
    await tell("session_compact", { type: "session_compact" }, context, { long: true })
    return undefined
  })

  on("before_agent_start", async (input, context) => {
    const prompt = text(input.prompt)
    if (prepared?.prompt === prompt) return prepared.answer // oh-my-pi prepares the same prompt anew: what we said is gone
    if (!prompt.trimStart().startsWith("[borg]")) promptID = `p${++prompts}-${Date.now()}`
    const answer = await tell("before_agent_start", { type: input.type, prompt }, context, { long: true, starts: true })
    const told = [...waiting.splice(0), text(record(answer.message).content)].filter(Boolean).join("\n\n")
    const message = { customType: "borgd", display: false, ...record(answer.message), content: told }
    prepared = { prompt, answer: told ? { message } : {} }
    return prepared.answer
  })
  for (const event of ["agent_start", "turn_start"]) {
    on(event, async () => {
      prepared = undefined
      return undefined
    })
  }

  on("tool_call", async (input, context) => {
    const { toolName, toolCallId } = input
    const answer = await tell("tool_call", { type: input.type, toolName, toolCallId, input: input.input }, context)
    if (answer.block === true) {
      denied.add(text(toolCallId))
      return { block: true, reason: text(answer.reason) }
    }
    return typeof answer.input === "object" && answer.input !== null ? { input: answer.input } : undefined
  })

  on("tool_result", async (input, context) => {
    if (denied.delete(text(input.toolCallId))) return undefined // it never ran
    const content = Array.isArray(input.content) ? (input.content as Fields[]) : []
    const texts = content.filter((part) => part.type === "text")
    const { toolName, toolCallId, details, isError } = input
    const told = { type: input.type, toolName, toolCallId, input: input.input, content: texts, details, isError }
    const answer = await tell("tool_result", told, context)
    const append = [...waiting.splice(0), text(answer.append)].filter(Boolean).join("\n\n")
    return append ? { content: [...content, { type: "text", text: append }] } : undefined
  })

  on("tool_approval_requested", async (input, context) => {
    const call = text(input.toolCallId)
    const timer = setTimeout(() => {
      approvals.delete(call)
      void tell("tool_approval_requested", input, context)
    }, DEBOUNCE_MS)
    timer.unref?.()
    approvals.set(call, timer)
    return undefined
  })
  on("tool_approval_resolved", async (input) => {
    clearTimeout(approvals.get(text(input.toolCallId)))
    approvals.delete(text(input.toolCallId))
    return undefined
  })

  on("session_stop", async (input, context) => {
    const signal = input.signal instanceof AbortSignal ? input.signal : undefined
    if (signal?.aborted) return undefined
    const { type, session_id, stop_hook_active, turn_id } = input
    const last_assistant_message = closing(input.last_assistant_message)
    const told = { type, session_id, stop_hook_active, turn_id, last_assistant_message }
    const answer = await tell("session_stop", told, context, { long: true, ...(signal ? { signal } : {}) })
    if (signal?.aborted || answer.decision !== "block") return undefined
    return { decision: "block", reason: text(answer.reason) }
  })

  on("agent_end", async (input, context) => {
    const { parent, agent } = session(context)
    if (!parent && record(agent).kind !== "sub") return undefined
    const messages = Array.isArray(input.messages) ? (input.messages as Fields[]) : []
    const last = [...messages].reverse().find((message) => message.role === "assistant")
    const told = { type: input.type, willContinue: input.willContinue, last_assistant_message: closing(last) }
    await tell("agent_end", told, context)
    return undefined
  })

  on("session_shutdown", async (_input, context) => {
    for (const timer of approvals.values()) clearTimeout(timer)
    await tell("session_shutdown", { type: "session_shutdown" }, context)
    return undefined
  })
}

/** What of a message a Stop needs: its texts, its model, why it ended. */
function closing(message: unknown): Fields | undefined {
  const { role, content, model, stopReason } = record(message)
  if (!role) return undefined
  const texts = Array.isArray(content) ? content.filter((part) => record(part).type === "text") : content
  return { role, content: texts, model, stopReason }
}
