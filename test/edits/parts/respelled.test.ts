import { test } from 'tap'
import { checkParts, WHOLE } from '../../helpers/part-cases.ts'

const STEPS =
  'jobs:\n  test:\n    steps:\n      - uses: actions/checkout@v3\n      - run: npm install\n      - run: npm test\n'
const IMAGE = 'FROM node:24\nWORKDIR /app\nCOPY . .\nCMD ["node", "index.js"]\n'
const README = '# Shop\n\nA shop.\n\n## Install\n\nRun the installer.\n\n## Usage\n\nRun the shop.\n'
const ONE = 'def one():\n    return 1\n'
const TWICE = `${ONE}\n\ndef two():\n    return 2\n\n\n${ONE}`
const ONCE = `${ONE}\n\ndef two():\n    return 2\n`

test('a step that does the same is no loss', t => {
  const ci = { path: '.github/workflows/ci.yml', before: STEPS }
  const sha = `checkout@${'1f'.repeat(20)} # v4.2.2`
  checkParts(t, ci, [
    ['a newer action', STEPS.replace('@v3', '@v4'), WHOLE],
    ['an action at a commit', STEPS.replace('checkout@v3', sha), WHOLE],
    ['npm ci', STEPS.replace('npm install', 'npm ci'), WHOLE],
    ['another command', STEPS.replace('npm install', 'make'), /lacks/],
    ['no install', STEPS.replace('      - run: npm install\n', ''), /lacks/],
  ])
  checkParts(t, { path: 'Dockerfile', before: IMAGE }, [
    ['an entry point', IMAGE.replace('CMD', 'ENTRYPOINT'), WHOLE],
    ['no command', IMAGE.replace(/CMD.*\n/, ''), /lacks CMD/],
  ])
  t.end()
})

test('a renamed heading over the same text is no loss', t => {
  checkParts(t, { path: 'README.md', before: README }, [
    ['another heading', README.replace('## Install', '## Getting started'), WHOLE],
    ['another heading, other text', README.replace('Install\n\nRun the installer.', 'Begin\n\nAsk.'), /lacks/],
    ['no heading', README.replace('## Install\n\n', ''), /lacks/],
  ])
  t.end()
})

test('the second of two equal definitions is no loss, another one of its name is', t => {
  checkParts(t, { path: 'a.py', before: TWICE }, [['once', ONCE, WHOLE]])
  checkParts(t, { path: 'a.py', before: TWICE.replace(/1\n$/, '3\n') }, [['other text', ONCE, /lacks one/]])
  checkParts(t, { path: 'a.py', before: TWICE.replace(/def one(?![^]*def one)/, '@cached\ndef one') }, [
    ['a decorator', ONCE, /lacks one/],
  ])
  t.end()
})

test('the second of two equal values is no loss', t => {
  const before = 'const a = 1\nconst b = 2\nconst a = 1\n\nfunction f () {\n  return a + b\n}\n'
  const once = before.replace('const b = 2\nconst a = 1\n', 'const b = 2\n')
  checkParts(t, { path: 'a.js', before }, [['once', once, WHOLE]])
  checkParts(t, { path: 'a.js', before: before.replace('2\nconst a = 1', '2\nconst a = 3') }, [
    ['another value', once, /lacks a/],
  ])
  t.end()
})
