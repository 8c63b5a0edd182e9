import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

test('a traceback drawn in a box: frames, marked code, and what it followed', async t => {
  for (const version of ['3.11', '3.12', '3.13']) {
    const found = parseStackTrace(readTrace(`python-${version}-boxed`))
    t.same(
      found.exceptions.map(({ relation, type, message }) => `${relation} ${type}: ${message}`),
      ["context KeyError: 'price'", 'root ValueError: nothing to pay\nfor cart C-17'],
      version,
    )
    t.same(
      found.frames
        .filter(({ exception }) => exception === 1)
        .map(({ line, function: name, sourceText }) => [line, name, sourceText]),
      [
        [16, '<module>', 'pay([{"count": 1}])'],
        [13, 'pay', 'checkout([])'],
        [11, 'checkout', 'raise ValueError("nothing to pay\\nfor cart %s" % id_of(cart))'],
      ],
      version,
    )
  }
})
