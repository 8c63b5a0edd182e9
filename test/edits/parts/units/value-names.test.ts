import { test } from 'tap'
import {
  callName,
  fieldNames,
  headName,
  statementName,
  valueName,
} from '../../../../src/edits/parts/units/value-names.ts'

const LONG = 'x'.repeat(300)

test('a line outside of all definitions may give a value its name', async t => {
  for (const [line, name] of [
    ['LIMIT = 10', 'LIMIT'],
    ['limit: int = 10', 'limit'],
    ['export const limit = 10', 'limit'],
    ['static final int LIMIT = 10;', 'LIMIT'],
    ['let limit: number', 'limit'],
    ['#define LIMIT 10', 'LIMIT'],
    ['type Row = string[]', 'Row'],
    [`${'a'.repeat(297)} =1`, 'a'.repeat(297)],
  ] as const) {
    t.equal(valueName(line), name, line)
  }
  for (const line of [
    'if (limit == 10) return',
    'limit == 10',
    'start(limit)',
    'return = 1',
    'two words = 10',
    'limit: 10',
    'export default {',
    'export limit',
    '# LIMIT = 10',
    '// LIMIT = 10',
    '@limit = 10',
    `${'a'.repeat(298)} =1`,
    '',
  ]) {
    t.equal(valueName(line), null, line)
  }
})

test('a macro is named by its first word, whatever its value holds', async t => {
  for (const line of ['#define N (5)', '#define N 5', '#  define N', '#define N(a, b) ((a) == (b) ? 1 : 0)']) {
    t.equal(valueName(line), 'N', line)
  }
})

test('a line of a type gives its fields, one of a list its members', async t => {
  const fields = (line: string) => fieldNames(line, false)
  t.same(fields('    private int count;'), ['count'])
  t.same(fields('  name: string'), ['name'])
  t.same(fields('  one two three four five count;'), ['count'], 'six words')
  t.same(fields('  one two three four five six count;'), [], 'seven are a sentence')
  for (const line of ['  count', '  run() {', '  static {', '  // count: number']) t.same(fields(line), [], line)
  const members = (line: string) => fieldNames(line, true)
  t.same(members('  RED, GREEN, BLUE;'), ['RED', 'GREEN', 'BLUE'])
  t.same(members('  RED = 1,'), ['RED'])
  t.same(members('  int count;'), ['count'])
  t.same(members('  Count int'), ['Count'])
  t.same(members('  # RED'), [])
})

test('a call is named by its first text', async t => {
  t.equal(callName('test("adds", () => {'), 'test("adds")')
  t.equal(callName("  app.get('/items', list)"), 'app.get("/items")')
  t.equal(callName('await it `works` do'), 'it("works")')
  for (const line of ['console.log("x")', 'print("x")', 'test(name, "x")', 'adds', `t("${LONG}")`]) {
    t.equal(callName(line), null, line)
  }
})

test('a statement of SQL is named by its head, a first line by itself', async t => {
  t.equal(statementName('CREATE UNIQUE  INDEX by_name ON items (name)'), 'create unique index by_name on items')
  t.equal(statementName('select 1'), null)
  t.equal(headName("'use strict';"), '"use strict";')
  t.equal(headName('package main'), 'package main')
  t.equal(headName('x = 1'), null)
  t.equal(headName(`#!${LONG}`), null)
})
