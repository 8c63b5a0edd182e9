import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readNode } from '../../../helpers/node-traces.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

test('test runners: the message above the code, the code at its frame, causes', async t => {
  const jest = parseStackTrace(readTrace('jest-29-report'))
  t.same(
    jest.exceptions.map(({ relation, type, message }) => `${relation} ${type}: ${message}`),
    [
      'root Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 5\nReceived: 4',
      "root TypeError: Cannot read properties of undefined (reading 'price')",
      'root Error: cannot pay',
      "cause TypeError: Cannot read properties of undefined (reading 'price')",
      'root Error: expect(received).rejects.toThrow()\n\nReceived promise resolved instead of rejected\n' +
        'Resolved to value: 1',
    ],
  )
  t.same(
    jest.frames
      .filter(({ sourceText }) => sourceText !== null)
      .map(({ file, line, sourceText }) => [file, line, sourceText])
      .slice(0, 2),
    [
      ['jest/cart.test.js', 5, 'expect(total([{ product: { price: 2 }, count: 2 }])).toBe(5)'],
      ['cart.js', 2, 'return line.product.price * line.count'],
    ],
  )
  t.same(
    readNode(readTrace('mocha-10-report')).map(({ head }) => head.split('\n')[0]),
    [
      'root AssertionError: Expected values to be strictly equal:',
      "root TypeError: Cannot read properties of undefined (reading 'price')",
      'root Error: cannot pay',
      "cause TypeError: Cannot read properties of undefined (reading 'price')",
    ],
  )
  t.equal(readNode(readTrace('node-24-test-spec')).length, 3)
})

test('the message of a cause may have twenty lines, and no more', async t => {
  const relations = (lines: number) =>
    readNode(
      'Error: cannot pay\n    at pay (/srv/app/a.js:3:5)\n' +
        `Caused by: Error: no till\n${'more of it\n'.repeat(lines - 1)}    at open (/srv/app/b.js:4:6)\n`,
    ).map(({ head }) => head.split(' ')[0])
  t.same(relations(20), ['root', 'cause'])
  t.same(relations(21), ['root', 'root'])
})
