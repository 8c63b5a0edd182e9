import { test } from 'tap'
import type { FastifyRequest } from 'fastify'
import { paintFor, REPORT_MEDIA_TYPES, reportType } from '../../src/http/answer-type.ts'

const requestWith = (color?: string): FastifyRequest => ({ query: { color } }) as FastifyRequest

test('a text is coloured for whoever asks for that, wherever the output of the server goes', async t => {
  t.equal(paintFor(requestWith('1'))('red', 'failed'), '\u001b[31mfailed\u001b[39m')
  for (const color of [undefined, '0', '']) t.equal(paintFor(requestWith(color))('red', 'failed'), 'failed')
})

test('reports are what CI systems read, and nothing else', async t => {
  t.equal(reportType('sarif'), 'sarif')
  t.equal(reportType('json'), undefined)
  t.equal(REPORT_MEDIA_TYPES[0], 'application/sarif+json')
})
