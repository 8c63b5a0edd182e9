import { test } from 'tap'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { deliverFeature, type DeliveryDeps } from '../../../src/pipelines/feature/delivery/deliver.ts'
import { createReport } from '../../../src/pipelines/feature/report.ts'

type Reply = { decision: 'approve' | 'reject'; comment?: string }
interface World {
  replies: Reply[]
  reworksLeft?: number
  push?: boolean
  /** What the remote says to each push; null where it takes it. */
  pushes?: Array<string | null>
  /** What the deployments come to. */
  deployments?: Array<{ by: string; ok: boolean; output: string } | null>
  comment?: string | null
}

/** Delivers a feature to somebody who answers so; gives what was asked, logged and done. */
async function delivered({
  replies,
  reworksLeft = 1,
  push = false,
  pushes = [],
  deployments = [null],
  comment = null,
}: World) {
  const asked: Array<{ pushes: boolean; problem: string | null; reworksLeft: number }> = []
  const logged: string[] = []
  const done: string[] = []
  const entered: string[] = []
  const steps: Record<string, () => unknown> = {
    diff: () => ({ diff: '+a' }),
    conflicts: () => ({ conflicts: [], notes: ['a note'] }),
    'deploy.how': () => null,
    deploy: () => deployments.shift() ?? null,
  }
  const job = {
    step: async (name: string, work: () => unknown) => (steps[name] ?? work)(),
    log: (line: string) => logged.push(line),
    setResult: async () => {},
    progress: ({ message }: { message: string }) => entered.push(message),
    feature: { update: async () => {} },
    ask: async (_name: string, request: (typeof asked)[number]) => {
      asked.push(request)
      const reply = replies.shift()
      if (reply === undefined) throw new Error('asked once too often')
      return reply
    },
  } as unknown as JobContext
  const report = createReport(job)
  const end = await deliverFeature(job, { findForge: async () => null } as unknown as DeliveryDeps, {
    feature: {
      input: { request: 'Store it', push },
      at: { projectName: 'shop', repository: 'shop', commit: 'base' },
      base: {},
      baseBranch: 'main',
      report,
      plan: { branchName: 'feat/x', understood: 'So it is.' },
    } as never,
    rules: { allowedPaths: ['src/'] } as never,
    git: (async ({
      action,
      commitMessage = '',
      files = [],
    }: {
      action: string
      commitMessage?: string
      files?: string[]
    }) => {
      done.push([action, commitMessage, files.join()].filter(Boolean).join(' | '))
      if (action === 'commit') return { success: true, message: '', commit: 'c1' }
      const refused = pushes.shift() ?? null
      return { success: refused === null, message: refused ?? '' }
    }) as never,
    built: { changes: { changed: [], deleted: [] }, migrations: ['m.sql'], takenBack: ['old.sql'] } as never,
    reworksLeft,
    comment,
  })
  return { end, asked, logged, done, entered, result: report.result }
}

const APPROVE: Reply = { decision: 'approve' }

test('a rejection aborts, one with a comment goes back to the coder as often as it may', async t => {
  t.same((await delivered({ replies: [{ decision: 'reject' }] })).end, { end: 'aborted' })
  const back = await delivered({ replies: [{ decision: 'reject', comment: 'Be polite' }] })
  t.same([back.end, back.logged], [{ comment: 'Be polite' }, []])
  const over = await delivered({ replies: [{ decision: 'reject', comment: 'Be polite' }], reworksLeft: 0 })
  t.same(over.end, { end: 'aborted' })
  t.match(over.logged, [/^It was rejected with a comment, and is not coded again/])
  t.match(over.asked, [{ reworksLeft: 0 }])
})

test('what is built is committed with what the migration made, in the words of the plan or of the review', async t => {
  const { done, result, asked, entered } = await delivered({ replies: [APPROVE] })
  t.same(done, ['commit | So it is. | src/,m.sql,old.sql'])
  t.match(result, { commit: 'c1', diff: '+a', pushed: false, notes: ['a note'] })
  t.match(asked, [{ pushes: false, problem: null, reworksLeft: 1 }])
  t.same(entered, ['looking for conflicts, committing', 'waiting for a decision about feat/x', 'deploying'])
  const again = await delivered({ replies: [APPROVE], comment: 'Be polite' })
  t.match(again.done[0], 'commit | Change what the review asked for: Be polite')
})

test('an approval deploys where something does, and is asked for again where that failed', async t => {
  t.same((await delivered({ replies: [APPROVE] })).end, { end: 'delivered' })
  const ok = { by: 'url', ok: true, output: 'done' }
  t.same((await delivered({ replies: [APPROVE], deployments: [ok] })).end, { end: 'deployed' })
  const failed = await delivered({
    replies: [APPROVE, APPROVE],
    deployments: [{ ...ok, ok: false, output: 'no room\nmore' }, ok],
  })
  t.same(failed.end, { end: 'deployed' })
  t.match(failed.asked, [{ problem: null }, { problem: 'The deployment failed: no room\nmore' }])
  t.ok(failed.entered.includes('The deployment failed: no room'), 'its first line is shown')
})

test('a push that is refused is told, and tried again by an approval before anything else', async t => {
  const pushes = ['It is protected.', 'It is still.', null]
  const { end, asked, done, result } = await delivered({ replies: [APPROVE, APPROVE, APPROVE], push: true, pushes })
  t.same(end, { end: 'delivered' })
  t.match(asked, [
    { pushes: true, problem: 'It is protected.' },
    { pushes: true, problem: 'It is still.' },
    { pushes: false, problem: null },
  ])
  t.same(done.slice(1), ['push', 'push', 'push'])
  t.equal(result.pushed, true)
})
