import { test } from 'tap'
import fc from 'fast-check'
import { eachIdentifier, stem, subTokens, termsOf, tokenize } from '../../src/core/tokenize.ts'

test('camelCase, snake_case, capitals and digits are split into lower-case words', async t => {
  t.same(subTokens('HTTPServerError'), ['http', 'server', 'error'])
  t.same(subTokens('read_user_config'), ['read', 'user', 'config'])
  t.same(subTokens('utf8Decoder'), ['utf', '8', 'decoder'])
  t.same(subTokens('__init__'), ['init'])
  t.same(subTokens('$scope'), ['scop'])
  t.same(subTokens('getX'), ['get'], 'a single letter tells nothing')
})

test('an identifier is also found whole', async t => {
  t.same(termsOf('parseStackTrace'), ['pars', 'stack', 'trac', 'parsestacktrace'])
  t.same(termsOf('read_only'), ['read', 'only', 'read_only'])
  t.same(termsOf('config'), ['config'], 'once where the whole is its only word')
  t.same(tokenize('x = user.name'), ['user', 'name'])
})

test('the forms of one word come together', async t => {
  for (const form of ['parse', 'parses', 'parsed', 'parsing']) t.equal(stem(form), 'pars', form)
  for (const form of ['mapping', 'mapped', 'maps']) t.equal(stem(form), 'map', form)
  for (const form of ['entry', 'entries']) t.equal(stem(form), 'entry', form)
  for (const form of ['string', 'class', 'status', 'this', 'embed', 'speed']) t.equal(stem(form), form, form)
})

test('letters of other scripts are words, symbols are not', async t => {
  t.same(tokenize('ошибка → Деление'), ['ошибка', 'деление'])
  t.same(tokenize('😀 🚀'), [])
})

test('runs too long to be names are left out', async t => {
  t.same(tokenize(`a ${'x'.repeat(101)} tail`), ['tail'])
  t.same(tokenize(`${'x'.repeat(100)}`), ['x'.repeat(100)])
})

test('identifiers cover the word characters of any text, and terms hold nothing that full text would split', async t => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 90 }), text => {
      const found: string[] = []
      eachIdentifier(text, identifier => found.push(identifier))
      const ascii = text.match(/[A-Za-z0-9_$]/g)?.length ?? 0
      return (
        (found.join('').match(/[A-Za-z0-9_$]/g)?.length ?? 0) === ascii &&
        tokenize(text).every(term => /^[\p{L}\p{N}\p{M}_$]+$/u.test(term))
      )
    }),
  )
  t.pass()
})
