// The daemon's socket for plugins that run inside an agent: one event, one answer, each within its deadline.
//
// Promises that nothing here throws or rejects, that the agent never waits longer than the deadline of the event, and that a
// daemon which does not answer is soon left alone. Where none listens, the client beside this file is called at a session's
// start and at a prompt: it knows how to start one. Frames and addresses are those of borgd/protocol.

import { spawn } from "node:child_process"
import { lstatSync } from "node:fs"
import { createConnection } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export type Fields = Record<string, unknown>
type Env = Record<string, string | undefined>

/** host: milliseconds that a prompt, a session's start or a Stop may wait. */
export const LONG_MS = 1000
/** host: milliseconds that any other event may wait. */
export const SHORT_MS = 250
/** guard: answers in a row that did not come, after which only one event in BREAK_MS waits for one. */
const MISSES = 3
/** guard: milliseconds between two such events. */
const BREAK_MS = 10_000
/** guard: no answer of the daemon is longer. */
const MAX_REPLY = 1 << 20
/** guard: characters of one text that are sent; the middle of a longer one is left out. */
const TEXT_CHARS = 200_000
/** host: sun_path holds 104 or 108 bytes, one of them the closing NUL. */
const SOCKET_PATH_BYTES = process.platform === "darwin" ? 103 : 107

const uid = process.getuid?.() ?? -1

function ownedByUs(path: string, directory: boolean): boolean {
  try {
    const info = lstatSync(path)
    if (info.uid !== uid) return false
    return directory ? info.isDirectory() && (info.mode & 0o7777) === 0o700 : info.isSocket()
  } catch {
    return false
  }
}

function fnv1a(data: Buffer): string {
  let value = 0xcbf29ce484222325n
  for (const byte of data) value = ((value ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  return value.toString(16).padStart(16, "0")
}

/** Where the daemon's socket may be, the likeliest first: as borgd/protocol/address.py has it. */
export function socketPaths(env: Env = process.env): string[] {
  const state = (env.XDG_STATE_HOME?.startsWith("/") ? env.XDG_STATE_HOME : `${(env.HOME ?? "/").replace(/\/+$/, "")}/.local/state`)
  const places = [`${state.replace(/\/+$/, "")}/borgd/run/borgd.sock`]
  const runtime = env.XDG_RUNTIME_DIR ?? ""
  if (runtime.startsWith("/") && ownedByUs(runtime, true)) places.unshift(`${runtime.replace(/\/+$/, "")}/borgd/borgd.sock`)
  return places.map((path) => {
    const data = Buffer.from(path)
    return data.length <= SOCKET_PATH_BYTES ? path : `/tmp/borgd-${uid}-${fnv1a(data)}/borgd.sock`
  })
}

/** What travels: JSON without functions and what cannot be written, texts that are far too long without their middle. */
export function bodyOf(value: Fields): string {
  const above: object[] = []
  return JSON.stringify(value, function (this: object, _key, one: unknown) {
    while (above.length && above[above.length - 1] !== this) above.pop()
    if (typeof one === "bigint") return String(one)
    if (typeof one === "string" && one.length > TEXT_CHARS) {
      return `${one.slice(0, TEXT_CHARS / 2)}\n[…]\n${one.slice(-TEXT_CHARS / 2)}`
    }
    if (typeof one === "object" && one !== null) {
      if (above.includes(one)) return undefined // it holds itself
      above.push(one)
    }
    return one
  })
}

/** The JSON object of a whole reply; null while it is incomplete, undefined where it is none. */
function parsed(data: Buffer): Fields | null | undefined {
  const end = data.indexOf(10)
  if (end < 0) return data.length > 64 ? undefined : null
  const words = data.subarray(0, end).toString("latin1").split(" ")
  if (words.length !== 4 || words[0] !== "borg/1" || !words.slice(1).every((word) => /^\d{1,8}$/.test(word))) return undefined
  const [out, err] = [Number(words[2]), Number(words[3])]
  if (out + err > MAX_REPLY) return undefined
  if (data.length < end + 1 + out + err) return null
  return objectIn(data.subarray(end + 1, end + 1 + out).toString("utf8"))
}

function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

type Outcome = { answer?: Fields; absent?: boolean; missed?: boolean }

function exchange(path: string, header: string, body: string, ms: number, signal?: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    let reply = Buffer.alloc(0)
    let done = false
    const socket = createConnection({ path })
    const finish = (outcome: Outcome) => {
      if (done) return
      done = true
      clearTimeout(timer)
      signal?.removeEventListener("abort", abandon)
      socket.destroy()
      resolve(outcome)
    }
    const abandon = () => finish({})
    const timer = setTimeout(() => finish({ missed: true }), Math.max(1, ms))
    signal?.addEventListener("abort", abandon)
    // Not ended: opencode's runtime would close the reading side with it, and the daemon knows a whole object when it sees one.
    socket.on("connect", () => socket.write(header + body))
    socket.on("error", (error: NodeJS.ErrnoException) => {
      finish({ absent: error.code === "ENOENT" || error.code === "ECONNREFUSED" })
    })
    socket.on("close", () => finish({}))
    socket.on("data", (chunk: Buffer) => {
      reply = Buffer.concat([reply, chunk])
      const answer = parsed(reply)
      if (answer !== null) finish(answer === undefined ? {} : { answer })
    })
  })
}

function byClient(agent: string, event: string, body: string, ms: number): Promise<Fields> {
  return new Promise((resolve) => {
    let out = ""
    const finish = (answer: Fields) => {
      clearTimeout(timer)
      resolve(answer)
    }
    const timer = setTimeout(() => finish({}), Math.max(1, ms))
    try {
      const client = join(dirname(dirname(fileURLToPath(import.meta.url))), "borg-hook")
      const child = spawn(client, [agent, event], { stdio: ["pipe", "pipe", "ignore"] })
      child.on("error", () => finish({}))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")))
      child.on("close", () => finish(objectIn(out) ?? {}))
      child.stdin.end(body)
      child.unref()
    } catch {
      finish({})
    }
  })
}

/** Whether whoever started the agent wants nothing of borgd. */
export function isOff(env: Env = process.env): boolean {
  return env.BORGD_INSIDE !== undefined || !["", "0"].includes(env.BORGD_OFF ?? "0")
}

/** The daemon as one agent's plugin speaks to it. */
export class Daemon {
  private missed = 0
  private tried = 0
  private readonly agent: string

  constructor(agent: string) {
    this.agent = agent
  }

  /**
   * The answer to `event`; an empty one on any failure, after `ms` milliseconds at the latest.
   *
   * `words` say of the host what is no part of the event. `starts`: an event at which a daemon may be started.
   */
  async ask(
    event: string,
    value: Fields,
    { long = false, starts = false, words = "", signal }: { long?: boolean; starts?: boolean; words?: string; signal?: AbortSignal } = {},
  ): Promise<Fields> {
    try {
      if (isOff() || signal?.aborted) return {}
      const now = Date.now()
      if (this.missed >= MISSES && now - this.tried < BREAK_MS && now >= this.tried) return {}
      this.tried = now
      const end = now + (long ? LONG_MS : SHORT_MS)
      const body = bodyOf(value)
      const header = `borg/1 hook ${this.agent} ${event}${words ? ` ${words}` : ""}\n`
      for (const path of socketPaths()) {
        if (!ownedByUs(path, false)) continue
        const outcome = await exchange(path, header, body, end - Date.now(), signal)
        if (!outcome.absent) {
          this.missed = outcome.missed ? this.missed + 1 : 0
          return outcome.answer ?? {}
        }
      }
      return starts ? await byClient(this.agent, event, body, end - Date.now()) : {}
    } catch {
      return {}
    }
  }
}
