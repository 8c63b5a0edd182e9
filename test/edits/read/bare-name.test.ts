import { test } from 'tap'
import { bareNameOf } from '../../../src/edits/read/bare-name.ts'
import { app, APP, checkReplies, F, fenced, SAVED } from '../../helpers/reply-cases.ts'

const OLD = '#!/bin/sh\nset -eu\nnpm ci\nnpm run build\nrsync -a dist/ host:/srv/app\n'
const NEW = OLD.replace('npm run build', 'npm run build -- --strict')
const BARE = NEW.replace('#!/bin/sh\n', '')
const OLD_BARE = OLD.replace('#!/bin/sh\n', '')
const script = fenced(NEW, 'bash')
const before = { deploy: OLD }
const after = { deploy: NEW }
const main = `src/app.py\n${fenced(SAVED, 'python')}\n`
const both = { 'src/app.py': APP, deploy: OLD }

test('a word without an extension names a block where a file is called so', async t => {
  checkReplies(t, [
    ['alone', `deploy\n${script}`, after, before],
    ['with a blank line', `deploy\n\n${fenced(NEW, '')}`, after, before],
    ['in backticks', `\`deploy\`:\n${script}`, after, before],
    ['in bold', `**deploy**\n${script}`, after, before],
    ['as a heading', `### deploy\n${script}`, after, before],
    ['behind a label', `File: deploy\n${script}`, after, before],
    ['behind a label in bold', `**File: deploy**\n${script}`, after, before],
    ['behind the language', fenced(NEW, 'bash deploy'), after, before],
    ['as a title', fenced(NEW, 'bash title="deploy"'), after, before],
    ['as the only word of the fence', fenced(NEW, 'deploy'), after, before],
    ['as the first comment', fenced(`# deploy\n${BARE}`, 'bash'), { deploy: BARE }, { deploy: OLD_BARE }],
    ['by the end of its path', `deploy\n${script}`, { 'bin/deploy': NEW }, { 'bin/deploy': OLD }],
    ['of commands that are a version of it', `deploy\n${fenced(BARE, 'bash')}`, { deploy: BARE }, { deploy: OLD_BARE }],
    ['beside another edit', `${main}deploy\n${script}`, { ...app(SAVED), deploy: NEW }, both],
  ])
})

test('a word that is the name of no file leaves its block what it is', async t => {
  checkReplies(t, [
    ...['Example', 'Usage', '**Output**', '### Usage', 'Output:'].map(
      (word): [string, string, Record<string, string | null>] => [
        word,
        `${main}${word}\n${fenced('npm ci', 'bash')}`,
        app(SAVED),
      ],
    ),
    ['a file in another case', `${main}Deploy\n${fenced('npm ci', 'bash')}`, app(SAVED), both],
    ['commands about it', `${main}### deploy\n${fenced('./deploy staging', 'bash')}`, app(SAVED), both],
    ['a few lines of it', `${main}deploy\n${fenced('npm ci', 'bash')}`, app(SAVED), both],
    ['two files that end so', `deploy\n${fenced(NEW, '')}`, ['malformed'], { 'a/deploy': OLD, 'b/deploy': OLD }],
    ['no file at all', `${main}deploy\n${script}`, ['malformed']],
    ['no other edit', `Usage\n${fenced('npm ci', 'bash')}`, ['malformed']],
    ['other code under a heading', `### deploy\n${fenced('kind: Deployment', 'yaml')}`, ['malformed'], before],
  ])
})

test('a line of more than 600 characters names nothing', async t => {
  const nameOf = (above: string, info = '', first = 'x'): string | undefined => {
    const fence = { indent: 0, mark: F, info }
    const block = { from: 2, to: 3, fence, language: '', name: null, content: 'other' as const }
    return bareNameOf([above, F + info, first], block, 0)?.path
  }
  const [most, more] = ['a'.repeat(600), 'a'.repeat(601)]
  t.equal(nameOf(most), most)
  t.equal(nameOf(more), undefined)
  t.equal(nameOf('', most), most)
  t.equal(nameOf('', more), undefined)
  t.equal(nameOf('', '', `# ${most.slice(2)}`), most.slice(2))
  t.equal(nameOf('', '', `# ${most}`), undefined)
})
