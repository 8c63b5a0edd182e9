import type { Config } from '../config.ts'
import type { Readiness } from '../contract/readiness.ts'
import type { Repos } from '../repos/repos.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { DiskSpace } from './disk-space.ts'
import { embeddingOf } from './embedding.ts'
import type { ThisNode } from './nodes.ts'

/** To look starts a git process and a jail, and the route is open to everybody. */
const LOOK_AGE_MS = 60_000
/** Balancers and supervisors give up soon. */
const ANSWER_MS = 1_500

/** What is asked whether jobs can be taken. */
export interface ReadinessSources {
  git: Pick<Repos, 'gitVersion'>
  sandbox: Pick<Sandbox, 'probe'>
  disk: Pick<DiskSpace, 'state'>
  search: () => Readiness['search']
  /** What this process is among others; default: it is not told. */
  node?: Pick<ThisNode, 'readiness'>
  /** Gets what broke a look. */
  onFailure: (error: unknown) => void
}

/** Answers whether jobs can be taken, and with what; never rejects. */
export type AskReadiness = (options?: { answerMs?: number }) => Promise<Readiness>

type Answer<T> = { value: T } | { problem: string }

/** A question whose answer is kept for a while, is asked once at a time, and may never be answered. */
function createLook<T>(
  name: string,
  { ask, ageMs, onFailure }: { ask: () => Promise<T>; ageMs: number; onFailure: (error: unknown) => void },
): (answerMs: number) => Promise<Answer<T>> {
  let known: { value: T; at: number } | null = null
  let asking: Promise<Answer<T>> | null = null

  async function askNow(): Promise<Answer<T>> {
    try {
      known = { value: await ask(), at: performance.now() }
      return known
    } catch (error) {
      onFailure(error)
      return { problem: `${name} could not be asked; the log says why.` }
    } finally {
      asking = null
    }
  }

  return async answerMs => {
    if (known !== null && performance.now() - known.at < ageMs) return known
    asking ??= askNow()
    const late = Promise.withResolvers<Answer<T>>()
    const timer = setTimeout(late.resolve, answerMs, { problem: `${name} has not answered within ${answerMs} ms.` })
    try {
      return await Promise.race([asking, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

type GitAnswer = Answer<Awaited<ReturnType<Repos['gitVersion']>>>

function gitReadiness(answer: GitAnswer): Readiness['git'] {
  if ('problem' in answer) return { available: false, version: null, warning: answer.problem }
  const git = answer.value
  if (git === null) return { available: false, version: null, warning: 'git is not installed; apt-get install git' }
  return { available: true, version: git.version, warning: git.warning }
}

function sandboxReadiness(answer: Answer<Awaited<ReturnType<Sandbox['probe']>>>): Readiness['sandbox'] {
  if ('problem' in answer) {
    return { available: false, reason: answer.problem, fix: 'Ask again, or see docs/sandbox.md.', memory_limit: null }
  }
  const { available, reason, fix, memoryLimit } = answer.value
  return { available, reason, fix, memory_limit: memoryLimit }
}

const llmReadiness = ({ llm, llmGap }: Config): Readiness['llm'] => ({
  configured: llm !== null,
  model: llm?.model ?? null,
  reason: llmGap?.reason ?? null,
  fix: llmGap?.fix ?? null,
})

/** Whether the others may count on this node; one that works alone is never in the way. */
function mayServe(ofNode: Partial<Readiness> = {}): boolean {
  return ofNode.node?.draining !== true && ofNode.database?.status !== 'unavailable'
}

/**
 * Looks at git and the sandbox once a minute and at the disks at each question; whatever they do, the answer comes in
 * time. What does not answer counts as missing, and a disk that does not as full.
 */
export function createReadiness(
  config: Config,
  { git, sandbox, disk, search, node, onFailure }: ReadinessSources,
  { answerMs: usualMs = ANSWER_MS, ageMs = LOOK_AGE_MS } = {},
): AskReadiness {
  const looks = {
    git: createLook('git', { ask: () => git.gitVersion(), ageMs, onFailure }),
    sandbox: createLook('The sandbox', { ask: () => sandbox.probe(), ageMs, onFailure }),
    disk: createLook('The disk', { ask: () => disk.state(), ageMs: 0, onFailure }),
  }
  return async ({ answerMs = usualMs } = {}) => {
    const [ofGit, ofSandbox, ofDisk, ofNode] = await Promise.all([
      looks.git(answerMs),
      looks.sandbox(answerMs),
      looks.disk(answerMs),
      node?.readiness(),
    ])
    const state = gitReadiness(ofGit)
    const room = 'problem' in ofDisk ? 'full' : ofDisk.value
    return {
      ready: state.available && room !== 'full' && mayServe(ofNode),
      git: state,
      sandbox: sandboxReadiness(ofSandbox),
      llm: llmReadiness(config),
      disk: room,
      search: search(),
      embedding: embeddingOf(config),
      ...ofNode,
    }
  }
}
