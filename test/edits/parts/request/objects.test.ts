import { test } from 'tap'
import { readNewName, readObjects } from '../../../../src/edits/parts/request/objects.ts'
import { tokensOf } from '../../../../src/edits/parts/request/tokens.ts'

const read = (text: string) => readObjects(tokensOf(text), 0)

test('a list of things ends at the first word that is none of it', async t => {
  for (const [text, names, end] of [
    ['load', ['load'], 1],
    ['load and save', ['load', 'save'], 3],
    ['the functions load, save and close', ['load', 'save', 'close'], 7],
    ['load() from utils.py', ['load'], 1],
    ['the class Cart', ['Cart'], 3],
    ['`load` in Cart', ['load'], 1],
    ['def load', ['load'], 2],
    ['`def load`', ['load'], 1],
    ['caching in load()', [], 1],
    ['load because save fails', ['load'], 1],
    ['', [], 0],
  ] as const) {
    const found = read(text)
    t.same([found.names, found.end, found.unnamed], [names, end, 'no'], text)
  }
})

test('things without a name are chosen by their kind', async t => {
  for (const [text, unnamed] of [
    ['all other', 'most'],
    ['everything', 'most'],
    ['all functions', 'some'],
    ['unused functions', 'some'],
    ['unused constants', 'values'],
    ['the', 'no'],
    ['other', 'no'],
    ['old functions', 'no'],
    ['one two three four unused functions', 'no'],
  ] as const) {
    t.equal(read(text).unnamed, unnamed, text)
  }
})

test('the name of a section is a title, also in small letters', async t => {
  t.match(read('the Installation section'), { names: ['Installation'], titles: ['installation'] })
  t.match(read('the function Load'), { names: ['Load'], titles: [] })
})

test('a new name is one word behind "to", or a word that looks like code', async t => {
  const end = (text: string) => readNewName(tokensOf(text), 0)?.end ?? null
  t.equal(end('read_text'), 1)
  t.equal(end('the function reader'), 3)
  t.equal(end('reader and save'), 1)
  t.equal(end('read_text quickly'), 1)
  t.equal(end('a faster version'), null)
  t.equal(end('reader quickly'), null)
  t.equal(end(', save'), null)
  t.equal(end(''), null)
})
