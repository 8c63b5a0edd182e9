import { test } from 'tap'
import { isNothing } from '../../../src/pipelines/generate/clarify.ts'
import { createPrompts } from '../../../src/llm/prompts.ts'
import { buildWithModel } from '../../helpers/build-with-model.ts'

const { render } = createPrompts()
const GENERATE = render('generate', { file_format: render('file_format', {}) })
const CODE = 'main.py\n```python\nprint("snake")\n```\n'
const SCRIPT = '```\npython3 main.py\n```\n'
const MORE = `\n\n${render('clarify-more', {})}`

test(
  'questions are asked one by one; the dialogue is kept under the system message of the generation, as ' +
    'gpt-engineer does',
  async t => {
    const { post, reply, sent, model } = await buildWithModel(t, [
      { text: 'What control scheme would you like?\n' },
      { text: 'Should the snake wrap?' },
      { text: 'NOTHING to clarify!' },
      { text: CODE },
      { text: SCRIPT },
    ])
    const job = (
      await post('/generate', { prompt: 'Create a snake game in Python', mode: 'clarified', execute: 'never' })
    ).json()
    t.match(job, {
      status: 'waiting',
      request: { kind: 'clarification', question: 'What control scheme would you like?' },
      progress: { step: 'clarify', done: 0, total: 4 },
    })
    t.match((await reply(job.id, { answer: 'Arrow keys' })).json(), {
      status: 'waiting',
      request: { question: 'Should the snake wrap?' },
    })
    t.match((await reply(job.id, { answer: 'Die when hitting walls' })).json(), {
      status: 'succeeded',
      result: { run: null, files: [{ path: 'main.py' }, { path: 'run.sh' }] },
    })

    t.same(sent(0), [
      { role: 'system', content: render('clarify', {}) },
      { role: 'user', content: 'Create a snake game in Python' },
    ])
    t.same(sent(3), [
      {
        role: 'system',
        content: `${render('roadmap', {})}\n${GENERATE}\nUseful to know:\n${render('philosophy', {})}`,
      },
      { role: 'user', content: 'Create a snake game in Python' },
      { role: 'assistant', content: 'What control scheme would you like?' },
      { role: 'user', content: `Arrow keys${MORE}` },
      { role: 'assistant', content: 'Should the snake wrap?' },
      { role: 'user', content: `Die when hitting walls${MORE}` },
      { role: 'assistant', content: 'NOTHING to clarify!' },
      { role: 'user', content: GENERATE },
    ])
    t.equal(model.requests.length, 5)
  },
)

test('who skips a question gets explicit assumptions, and no further question', async t => {
  for (const skip of [{ skip: true }, { answer: '' }, { answer: ' c' }]) {
    const { post, reply, sent, model } = await buildWithModel(t, [
      { text: 'Which colour?' },
      { text: 'I assume green. Which size, though?' },
      { text: CODE },
      { text: SCRIPT },
    ])
    const job = (await post('/generate', { prompt: 'A button', mode: 'clarified', execute: 'never' })).json()
    t.match((await reply(job.id, skip)).json(), { status: 'succeeded' }, JSON.stringify(skip))
    t.same(
      sent(2)
        .slice(1)
        .map(({ role, content }) => [role, content]),
      [
        ['user', 'A button'],
        ['assistant', 'Which colour?'],
        ['user', render('clarify-assume', {})],
        ['assistant', 'I assume green. Which size, though?'],
        ['user', GENERATE],
      ],
    )
    t.equal(model.requests.length, 4)
  }
})

test('after max_questions the program is written with what is known', async t => {
  const { post, reply, sent, model } = await buildWithModel(t, [
    { text: 'One?' },
    { text: 'Two?' },
    { text: 'I assume three.' },
    { text: CODE },
    { text: SCRIPT },
  ])
  const job = (
    await post('/generate', { prompt: 'A button', mode: 'clarified', execute: 'never', max_questions: 2 })
  ).json()
  t.match((await reply(job.id, { answer: '1' })).json(), { status: 'waiting', request: { question: 'Two?' } })
  t.match((await reply(job.id, { answer: '2' })).json(), { status: 'succeeded' })
  t.same(
    sent(3)
      .slice(-3)
      .map(({ content }) => content),
    [`2\n\n${render('clarify-assume', {})}`, 'I assume three.', GENERATE],
    'no question is asked for that nobody would answer',
  )
  t.equal(model.requests.length, 5)
})

test('that nothing is to be clarified is recognised in any case and punctuation', async t => {
  for (const reply of [
    'Nothing to clarify',
    'nothing to clarify.',
    '**NOTHING TO CLARIFY!**',
    'All is clear.\n"Nothing  to\nclarify"',
    'Nothing-to-clarify',
  ]) {
    t.ok(isNothing(reply), reply)
  }
  for (const reply of [
    '',
    'Is there nothing to be clarified?',
    'Nothing. To clarify: which colour?'.replace('. To', ', so to'),
    'What is to clarify?',
  ]) {
    t.notOk(isNothing(reply), reply)
  }
})
