import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'tap'
import { commitMessage } from '../../../src/edits/write/commit-message.ts'
import { mailPatch } from '../../../src/edits/write/mail-patch.ts'
import { unifiedDiff } from '../../../src/edits/write/unified-diff.ts'
import { runs } from '../../helpers/property-runs.ts'

test('the subject is the first line, up to 72 characters; the whole stands below where there is more of it', async t => {
  t.equal(commitMessage('Mend the cart'), 'Mend the cart\n')
  t.equal(commitMessage('\n  Mend the cart  \r\n'), 'Mend the cart\n')
  t.equal(commitMessage('Mend it.\n\nAll of it.\n'), 'Mend it.\n\nMend it.\n\nAll of it.\n')
  const long = 'word '.repeat(40).trim()
  const [subject = '', blank, body] = commitMessage(long).split('\n')
  t.ok([...subject].length <= 72)
  t.match(subject, /word…$/)
  t.same([blank, body], ['', long])
  t.equal([...(commitMessage('😀'.repeat(100)).split('\n')[0] ?? '')].length, 72)
  t.equal(commitMessage('\u001B[31mred\u202E'), '\\u001B[31mred\\u202E\n')
  t.equal(commitMessage('[WIP] Re: x').split('\n')[0], 'x')
  t.match(commitMessage('[WIP]'), /^Change files\n\n\[WIP\]\n$/)
})

/** Applies mails one after the other to a repository with one file. */
function takenByGit(mails: string[]): Array<{ message: string; files: Record<string, string> }> {
  const dir = mkdtempSync(join(tmpdir(), 'faultline-am-'))
  const git = (args: string[], input?: string) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: dir,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    }).toString()
  try {
    git(['init', '-q'])
    writeFileSync(join(dir, 'a.txt'), 'one\ntwo\n')
    git(['add', '.'])
    git(['commit', '-qm', 'first'])
    return mails.map(mail => {
      git(['am', '-q', '--keep-cr'], mail)
      const files = Object.fromEntries(
        git(['ls-files', '-z'])
          .split('\0')
          .filter(Boolean)
          .map(path => [path, readFileSync(join(dir, path), 'utf8')]),
      )
      const message = git(['log', '-1', '--format=%B'])
      git(['reset', '-q', '--hard', 'HEAD^'])
      return { message, files }
    })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const BEFORE = new Map([['a.txt', 'one\ntwo\n']])
const mailOf = (request: string, after: Map<string, string | null>) =>
  mailPatch({ message: commitMessage(request), diff: unifiedDiff(BEFORE, after), date: new Date(0) })

test('git am takes the mail of any changes', async t => {
  const after: Array<Map<string, string | null>> = [
    new Map([['a.txt', 'one\n2\n']]),
    new Map([
      ['a.txt', null],
      ['b c/ü "x".txt', 'new'],
    ]),
    new Map([['empty.txt', '']]),
    new Map([
      ['crlf.txt', 'one\r\ntwo\r\n'],
      ['from.txt', 'From here\n--- x\n+++ y\n-- \n@@ -1 +1 @@\ndiff --git a b\n'],
    ]),
    new Map([['a.txt', '\n\n\n']]),
  ]
  const taken = takenByGit(after.map(files => mailOf('Change', files)))
  for (const [i, files] of after.entries()) {
    const expected = new Map(
      [...new Map<string, string | null>([...BEFORE, ...files])].filter(([, content]) => content !== null),
    )
    t.same(new Map(Object.entries(taken[i]?.files ?? {})), expected)
  }
})

test('git am takes the words of any request as they are', async t => {
  const requests = [
    'Grüße an 日本 ' + 'ü'.repeat(60),
    'Apply this:\n---\ndiff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+evil\n',
    'x\n\nFrom: Mallory <m@example.com>\nSubject: other\n\nFrom 0123456789abcdef Mon Sep 17 00:00:00 2001\nIndex: x',
    'From: Mallory <m@example.com>\nDate: yesterday',
    '=?UTF-8?Q?evil?=',
    '>From x',
    '[PATCH] y\n[PATCH] z',
    'a\n\n\n\nb',
    '-- \nsignature',
    '\u0000\u0007',
  ]
  const taken = takenByGit(requests.map(request => mailOf(request, new Map([['a.txt', 'changed\n']]))))
  for (const [i, request] of requests.entries()) {
    t.equal(taken[i]?.files['a.txt'], 'changed\n', request)
    t.equal(
      taken[i]?.message.trim().replace(/\n{2,}/g, '\n\n'),
      commitMessage(request)
        .trim()
        .replace(/\n{2,}/g, '\n\n'),
      request,
    )
  }
})

test('no request leads git am astray', async t => {
  const line = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      '---',
      '--- a/x',
      'diff --git a/x b/x',
      'From: x',
      'From x',
      'Subject: y',
      'Index: z',
      '@@ -1 +1 @@',
      '-- ',
      '[PATCH] q',
      'Content-Type: text/html',
      ' ',
      '+x',
      '-x',
      '>8',
      '-- >8 --',
    ),
  )
  const requests = fc.sample(
    fc.array(line, { minLength: 1, maxLength: 6 }).map(lines => lines.join('\n')),
    { numRuns: runs(40), seed: 7 },
  )
  const taken = takenByGit(requests.map(request => mailOf(request, new Map([['a.txt', 'changed\n']]))))
  for (const [i, request] of requests.entries()) t.equal(taken[i]?.files['a.txt'], 'changed\n', JSON.stringify(request))
})
