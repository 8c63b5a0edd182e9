import { test } from 'tap'
import { isCommonWord } from '../../../../src/resolver/ranking/rankers/common-words.ts'

test('keywords and names of everything are common, names of a domain are not', async t => {
  for (const word of ['def', 'self', 'value', 'kwargs', 'apply']) t.equal(isCommonWord(word), true, word)
  for (const word of ['cart', 'Self', 'discount', '']) t.equal(isCommonWord(word), false, word)
})
