import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { createPrompts } from '../../src/llm/prompts.ts'

function errorOf(call: () => unknown): FaultlineError | undefined {
  try {
    call()
  } catch (error) {
    if (error instanceof FaultlineError) return error
  }
}

const PACKAGED = {
  'resolve.md': 'Explain:\n\n{{trace}}\n\nFiles: {{files}} {{trace}}\n',
  'system.md': 'You are exact. {{ not a slot }} {{}}\r\n',
}

test('every slot is filled, in all its places', async t => {
  const prompts = createPrompts({ packageDir: t.testdir(PACKAGED) })
  t.equal(prompts.render('resolve', { trace: 'boom', files: 'a.ts' }), 'Explain:\n\nboom\n\nFiles: a.ts boom')
  t.equal(prompts.render('system', {}), 'You are exact. {{ not a slot }} {{}}')
})

test('values are put in as they stand: braces in them are not slots and dollar signs mean nothing', async t => {
  const prompts = createPrompts({ packageDir: t.testdir(PACKAGED) })
  t.equal(
    prompts.render('resolve', { trace: '{{files}} $& $1', files: '{{trace}}' }),
    'Explain:\n\n{{files}} $& $1\n\nFiles: {{trace}} {{files}} $& $1',
  )
})

test('a missing value, a value without a slot and an unknown prompt throw', async t => {
  const prompts = createPrompts({ packageDir: t.testdir(PACKAGED) })
  t.throws(() => prompts.render('resolve', { trace: 'boom' }), {
    message: 'The prompt resolve needs a value for {{files}}.',
  })
  t.throws(() => prompts.render('system', { trace: 'boom' }), { message: 'The prompt system has no slot {{trace}}.' })
  for (const name of ['nothing', '../resolve', 'resolve.md', '', '__proto__', 'constructor']) {
    t.throws(() => prompts.render(name, {}), /There is no prompt named/)
  }
})

test('a slot named like a member of every object still needs a value', async t => {
  const prompts = createPrompts({ packageDir: t.testdir({ 'a.md': '{{toString}}' }) })
  t.throws(() => prompts.render('a', {}), { message: 'The prompt a needs a value for {{toString}}.' })
})

test('a file of PROMPTS_DIR replaces the packaged one of its name; the others stay', async t => {
  const dirs = t.testdir({
    packaged: PACKAGED,
    mine: { 'resolve.md': 'Sag warum: {{trace}}', 'README.md': 'mine', 'notes.txt': '{{x}}' },
  })
  const prompts = createPrompts({ packageDir: `${dirs}/packaged`, promptsDir: `${dirs}/mine` })
  t.equal(prompts.render('resolve', { trace: 'boom', files: 'left out by the override' }), 'Sag warum: boom')
  t.match(prompts.render('system', {}), 'You are exact.')
})

test('an override that cannot work is CONFIG_INVALID at the start, naming the file and not the folder', async t => {
  const dirs = t.testdir({
    packaged: PACKAGED,
    misspelt: { 'resolv.md': 'x' },
    odd: { 'Re Solve.md': 'x' },
    slot: { 'resolve.md': '{{trace}} {{stacktrace}}' },
    binary: { 'resolve.md': Buffer.from([0xff, 0xfe, 0x00]) },
    folder: { 'resolve.md': {} },
    large: { 'resolve.md': 'x'.repeat(300_000) },
  })
  const cases = {
    misspelt: 'resolv.md replaces no prompt',
    odd: 'Re Solve.md replaces no prompt',
    slot: '{{stacktrace}}',
    binary: 'UTF-8',
    folder: 'resolve.md',
    large: '256 KiB',
    absent: 'cannot be read',
  }
  for (const [name, said] of Object.entries(cases)) {
    const error = errorOf(() => createPrompts({ packageDir: `${dirs}/packaged`, promptsDir: `${dirs}/${name}` }))
    t.equal(error?.code, 'CONFIG_INVALID', name)
    t.ok(error?.message.startsWith('PROMPTS_DIR') && error.message.includes(said), name)
    t.notOk(`${error?.message}${error?.fix}`.includes(dirs))
  }
})

test('the packaged prompts are found and can be read', async t => {
  t.doesNotThrow(() => createPrompts())
})
