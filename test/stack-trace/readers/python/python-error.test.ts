import { test } from 'tap'
import { isErrorLine, linkAt, splitError } from '../../../../src/stack-trace/readers/python/python-error.ts'

test('the phrase between two tracebacks says what the first is to the second', async t => {
  const lines = [
    'The above exception was the direct cause of the following exception:',
    '    During handling of the above exception, another exception occurred:',
    "During handling of the above exception ('NoneType' object), another exception occurred:",
    'The above exception was logged:',
    'During handling of the above exception, another exception occurred',
  ]
  t.same(
    lines.map((_, at) => linkAt(lines, at)),
    ['cause', 'context', 'context', null, null],
  )
  t.equal(linkAt(lines, 9), null)
})

test('a type is what stands before the first colon, when it is a name', async t => {
  t.same(splitError("KeyError: 'a: b'"), { type: 'KeyError', message: " 'a: b'" })
  t.same(splitError('shop.<locals>.CartError'), { type: 'shop.<locals>.CartError', message: '' })
  t.equal(splitError('it failed: why'), null)
  t.equal(splitError(''), null)
  t.equal(splitError('3: x'), null)
})

test('only some names are surely those of errors', async t => {
  const lines = ['KeyError', 'shop.CartException: no', 'KeyboardInterrupt', 'StopIteration: 3', 'ExceptionGroup: two']
  t.same(
    lines.filter(line => !isErrorLine(line)),
    [],
  )
  t.same(['note: KeyError', 'Errors: 3', 'ready', 'the KeyError: x'].filter(isErrorLine), [])
})
