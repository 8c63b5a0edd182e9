import type { Test } from 'tap'
import type { Reply } from '../fakes/model-server.ts'
import { cloneInto } from './build-app.ts'
import { eventually } from './processes.ts'
import { buildProject, type ProjectWithModel } from './project-with-model.ts'

/** A project `shop`, a model and what a page of each kind is about. */
export interface PageWorld extends ProjectWithModel {
  /** The address of a resolution that names a suspect commit. */
  located: string
  /** The address of what that commit changed. */
  suspect: string
  /** Starts a job and gives its address once it waits with such a question, or has failed. */
  begin(kind: keyof typeof JOBS): Promise<string>
}

const DIVIDES = 'def mean(values):\n    return sum(values) // len(values)\n'
const FILES = { 'a.py': DIVIDES.replace('//', '/'), 'b/c.py': 'X = 1\n' }

/** The name of a second project, as long as names may be: pages have to find room for it. */
export const LONG_NAME = 'shop_'.repeat(13).slice(0, 64)

/** An error in the file that the newest commit changed. */
export const PAGE_TRACE = `Traceback (most recent call last):
  File "/srv/a.py", line 2, in mean
    return sum(values) // len(values)
ZeroDivisionError: integer division or modulo by zero
`

const PATCH = `\`\`\`diff
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
 def mean(values):
-    return sum(values) // len(values)
+    return sum(values) // len(values) if values else 0
\`\`\`
`
const WIDE = `    $ python ${'wide '.repeat(60)}`
const DEEP = Array.from({ length: 8 }, (_, level) => `${'  '.repeat(level)}- level ${level}`).join('\n')
const CAUSE = '## Cause\n\nThere is **no** value, see `a.py:2` and [the manual](https://docs.python.org/).'
const ANSWER = [CAUSE, WIDE, DEEP, '## Fix\n\nGive 0.', PATCH].join('\n\n')
const QUESTION = 'Which **keys** does it have?\n'
const LOOKS_AROUND = { toolCalls: [{ name: 'find_definition', arguments: { name: 'mean' } }] }
/** A change that fits, and one that does not, after which the model is asked again. */
const HALF = `${PATCH}\n\`\`\`diff\n--- a/b/c.py\n+++ b/b/c.py\n@@ -1 +1 @@\n-X = 2\n+X = 3\n\`\`\`\n`

const MAKE = { prompt: 'Make a snake', execute: 'never' }
const CHANGE = { project_name: 'shop', select: ['*.py', 'b/*.py'] }

/** What a job is started with, and how it then stands. */
const JOBS = {
  question: { path: '/generate', body: { ...MAKE, mode: 'clarified' }, status: 'waiting' },
  diff: { path: '/improve', body: { ...CHANGE, prompt: 'Give 0' }, status: 'waiting' },
  budget: { path: '/improve', body: { ...CHANGE, prompt: 'Half of it', budget: { tokens: 10 } }, status: 'waiting' },
  failed: { path: '/generate', body: MAKE, status: 'failed' },
} as const

/** The model of these pages, which knows what it is asked for by the words of the prompt. */
function answerTo({ messages, tools }: Record<string, unknown>): Reply {
  const asked = JSON.stringify(messages)
  if (tools !== undefined && !asked.includes('"role":"tool"')) return LOOKS_AROUND
  if (asked.includes('snake')) return { text: QUESTION }
  return { text: asked.includes('Half of it') ? HALF : ANSWER }
}

/** Resolves the trace and waits for the commits that may be to blame. */
async function locate({ app, post }: ProjectWithModel): Promise<{ id: string; commit: string }> {
  const { id } = (await post('/resolve', { project_name: 'shop', stacktrace: PAGE_TRACE, mode: 'context' })).json()
  const found = async () => (await app.inject(`/resolutions/${id}`)).json()
  await eventually(async () => (await found()).suspects_status !== 'pending')
  return { id, commit: (await found()).suspect_commits[0].commit }
}

/** The real app with something for every page to show. */
export async function buildPageWorld(
  t: Test,
  { message = 'Divide whole numbers', ...options }: Parameters<typeof buildProject>[3] & { message?: string } = {},
): Promise<PageWorld> {
  const built = await buildProject(t, FILES, [], options)
  built.model.answerBy(answerTo)
  built.repository.commit({ 'a.py': DIVIDES }, { message })
  await cloneInto(t, built, { url: built.repository.dir, project_name: 'shop' })
  await cloneInto(t, built, { url: built.repository.dir, project_name: LONG_NAME })
  await built.services.idle()
  const { id, commit } = await locate(built)
  return {
    ...built,
    located: `/ui/resolutions/${id}`,
    suspect: `/ui/resolutions/${id}/suspects/${commit}`,
    async begin(kind) {
      const { path, body, status } = JOBS[kind]
      const job = (await built.post(path, body)).json()
      if (job.status !== status) throw new Error(`It is ${job.status}, not ${status}: ${JSON.stringify(job)}`)
      return `/ui/jobs/${job.id}`
    },
  }
}
