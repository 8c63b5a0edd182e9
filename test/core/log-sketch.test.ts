import { test } from 'tap'
import { areAlike, sketchOf } from '../../src/core/log-sketch.ts'

const linesOf = (name: string, count: number) =>
  Array.from(
    { length: count },
    (_, at) => `${name} ${'abcdefghijklmnopqrstuvwxyz'.slice(at % 20, (at % 20) + 5)}${'x'.repeat(at)}`,
  )

test('two runs of one job are alike, whatever numbers, times and ids they print', async t => {
  const one = linesOf('step', 30).map((line, at) => `12:00:${at} ${line} 4f2a9c81d0`)
  const two = linesOf('step', 30).map((line, at) => `17:31:${at} ${line} 99ab01cd77`)
  t.ok(areAlike(sketchOf(one.join('\n')), sketchOf([...two, 'Traceback', 'ValueError'].join('\n'))))
})

test('logs of different jobs are not alike, nor is an empty one like anything', async t => {
  t.notOk(areAlike(sketchOf(linesOf('lint', 30).join('\n')), sketchOf(linesOf('test', 30).join('\n'))))
  t.notOk(areAlike(sketchOf(''), sketchOf('')))
  t.notOk(areAlike([], sketchOf('a\nb')))
})

test('a sketch of a long log is short', async t => {
  t.equal(sketchOf(linesOf('a', 290).join('\n')).length, 128)
})
