import { FaultlineError } from '../../src/core/errors.ts'
import type { JobStatus } from '../../src/core/job.ts'
import type { PreparationParts } from '../../src/pipelines/registry.ts'

/** What preparations need, in memory: a project `shop` with two files, a model and a sandbox that are there. */
export function requestParts(
  given: { noModel?: boolean; noSandbox?: boolean; noLinter?: boolean; jobStatus?: JobStatus } = {},
): PreparationParts {
  const refuse = (code: 'LLM_NOT_CONFIGURED' | 'VALIDATION_FAILED' | 'ADDRESS_REFUSED' | 'PROJECT_NOT_FOUND') => {
    throw new FaultlineError(code, code)
  }
  const texts: Record<string, string> = { 'run.sh': 'python3 main.py\n', 'main.py': 'print(1)\n' }
  const files = Object.keys(texts).map(path => ({ path, oid: path, mode: '100644', size: 10 }))
  const job = { id: 'j1', type: 'generate' as const, status: given.jobStatus ?? 'succeeded' }
  return {
    callback: {
      check: (url: string | null | undefined) => {
        if (url === 'http://10.0.0.1/') refuse('ADDRESS_REFUSED')
      },
      of: async ({ callback_url: url }: { callback_url?: string }) => ({ callback_url: url ?? 'https://of.project/' }),
    },
    projects: {
      needIndex: async (name: string) =>
        name.toLowerCase() === 'shop'
          ? { projectName: 'shop', indexState: 'ready' as const }
          : refuse('PROJECT_NOT_FOUND'),
      canonicalName: async (name: string) => (name === 'SHOP' ? 'shop' : name),
    },
    model: {
      needModel: () => {
        if (given.noModel === true) refuse('LLM_NOT_CONFIGURED')
      },
      estimate: ({ messages }: { messages: readonly unknown[] }) => ({
        messages: [{ role: 'user', content: JSON.stringify(messages) }],
        tokens: messages.length,
        usd: null,
      }),
    },
    probeSandbox: async () => ({ available: given.noSandbox !== true, reason: 'no bwrap', fix: 'install it' }),
    filesOfJob: async () => ({
      job,
      files: [{ path: 'a.txt', content: Buffer.from('kept') }],
    }),
    withoutSecrets: async (text: string) => text.replaceAll('hunter22x', '[redacted]'),
    globTest: (globs: string[]) => {
      if (globs.includes('{')) refuse('VALIDATION_FAILED')
      return (path: string) => globs.includes(path)
    },
    git: {
      listFiles: async () => ({ files, others: [] }),
      readTexts: async ({ oids }: { oids: string[] }) => oids.map(oid => texts[oid] ?? null),
      checkout: async () => {},
      checkPatch: async () => null,
    },
    commitOf: async () => ({ repository: 'shop', commit: 'c'.repeat(40) }),
    search: async () => ({ hits: [], complete: true }),
    lintCommand: async () => (given.noLinter === true ? refuse('VALIDATION_FAILED') : 'ruff check'),
    locate: async () => ({
      id: 'res_1',
      projectName: 'shop',
      frames: [],
      context: 'def a(): 1 / 0',
      sources: [{ repository: 'shop', path: 'main.py' }],
      exceptions: [{ relation: 'root', type: 'E', message: 'm' }],
    }),
    checkUrl: async (url: string) => ({
      kind: url.startsWith('file:') ? 'local' : 'https',
      repository: url.replace(/^.*\/|\.git$/g, ''),
      url,
    }),
    checkRef: (_kind: string, name: string) => {
      if (name.startsWith('-')) refuse('VALIDATION_FAILED')
    },
  } as unknown as PreparationParts
}
