import { test } from 'tap'
import type { RawFrame } from '../../src/stack-trace/failures.ts'
import { namedByCaller, newFrame, pushFrame, pushPlace } from '../../src/stack-trace/frames.ts'

const shown = (frames: RawFrame[]) => frames.map(({ raw, column, repeat }) => `${raw} ${column} ×${repeat}`)

test('what a row does not say is null, and digits are numbers', async t => {
  t.same(newFrame('row', { file: 'a.c', line: '12' }), {
    raw: 'row',
    file: 'a.c',
    line: 12,
    column: null,
    function: null,
    sourceText: null,
    repeat: 1,
  })
  t.same(newFrame('row', { line: null, column: '0' }).line, null)
  t.same(newFrame('row', { line: null, column: '0' }).column, 0)
})

test('rows that are printed alike are one frame with a count', async t => {
  const frames: RawFrame[] = []
  for (const raw of ['at a', 'at a', 'at b', 'at a']) pushFrame(frames, newFrame(raw, {}))
  pushFrame(frames, newFrame('at a', { repeat: 3 }))
  t.same(shown(frames), ['at a null ×2', 'at b null ×1', 'at a null ×4'])
})

test('rows of one place are one frame, however they are printed; columns count unless any will do', async t => {
  const rows = [
    newFrame('1: f', { file: 'a.rs', line: 3, column: 5, function: 'f' }),
    newFrame('2: f', { file: 'a.rs', line: 3, column: 5, function: 'f' }),
    newFrame('3: f', { file: 'a.rs', line: 3, column: 9, function: 'f' }),
    newFrame('4: g', { file: 'a.rs', line: 3, column: 9, function: 'g' }),
  ]
  const pushed = (anyColumn: boolean): string[] => {
    const frames: RawFrame[] = []
    for (const row of rows) pushPlace(frames, { ...row }, anyColumn)
    return shown(frames)
  }
  t.same(pushed(false), ['1: f 5 ×2', '3: f 9 ×1', '4: g 9 ×1'])
  t.same(pushed(true), ['1: f 5 ×3', '4: g 9 ×1'])
})

test('rows without a file are one frame only where they are printed alike', async t => {
  const frames: RawFrame[] = []
  for (const raw of ['1: f', '2: f', '2: f']) pushPlace(frames, newFrame(raw, { function: 'f' }))
  t.same(shown(frames), ['1: f null ×1', '2: f null ×2'])
})

test('a line is in the function that the next outer line called', async t => {
  const frames = ['main', 'pay', null].map(name => newFrame('row', { function: name }))
  t.same(
    namedByCaller(frames, '{main}').map(frame => frame.function),
    ['{main}', 'main', 'pay'],
  )
  t.same(namedByCaller([], null), [])
})

test('rows of one place are one frame only where they follow each other', async t => {
  const frames: RawFrame[] = []
  for (const [raw, name] of [
    ['1: f', 'f'],
    ['2: g', 'g'],
    ['3: f', 'f'],
    ['4: f', 'f'],
  ] as const) {
    pushPlace(frames, newFrame(raw, { file: 'a.rs', line: 3, column: 5, function: name }))
  }
  t.same(shown(frames), ['1: f 5 ×1', '2: g 5 ×1', '3: f 5 ×2'])
})
