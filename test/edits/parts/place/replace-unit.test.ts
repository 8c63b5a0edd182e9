import { test } from 'tap'
import { checkParts, KEPT } from '../../../helpers/part-cases.ts'

const REFUSED = /lacks|leaves out/
const SAVE = 'def save():\n    return 2\n'
const REST = '\n# ... existing code ...\n'
const file = (load: string): string => `${load}\n\n${SAVE}`

test('what stands above a definition stays, unless the block shows something else there', t => {
  const plain = 'def load():\n    return 9\n'
  checkParts(t, { path: 'a.py', before: file('# Loads it.\ndef load():\n    return 1\n') }, [
    ['a comment that is not shown', plain + REST, file(`# Loads it.\n${plain}`)],
    ['another comment', `# Reads it.\n${plain}${REST}`, file(`# Reads it.\n${plain}`)],
  ])
  checkParts(t, { path: 'a.py', before: file('# Loads it.\n@cached\ndef load():\n    return 1\n') }, [
    ['a decorator that is not shown', plain + REST, REFUSED],
    ['one that is', `@cached\n${plain}${REST}`, file(`# Loads it.\n@cached\n${plain}`)],
    ['another one', `@cached(9)\n${plain}${REST}`, file(`# Loads it.\n@cached(9)\n${plain}`)],
  ])
  t.end()
})

test('a body that is left out stays, one that is left out in part is refused', t => {
  checkParts(t, { path: 'a.py', before: file('def load():\n    x = 1\n    return x\n') }, [
    ['dots', 'def load():\n    # ... existing code ...\n\n\ndef save():\n    return 2\n', KEPT],
    [
      'dots and a new line',
      'def load():\n    # ... existing code ...\n    return 9\n\n\ndef save():\n    return 2\n',
      REFUSED,
    ],
  ])
  t.end()
})

test('a value is replaced where its first line is all of it', t => {
  const code = 'export const save = 2\n'
  const value = (text: string): string => `export const limit = ${text}\n\n${code}`
  const sent = (text: string): string => `export const limit = ${text}\n// ... rest of the file ...\n`
  checkParts(t, { path: 'a.js', before: value('1') }, [
    ['one line', sent('9'), value('9')],
    ['a text over several lines', sent('`9\n`'), REFUSED],
    ['an open end', sent('9 +\n9'), REFUSED],
  ])
  checkParts(t, { path: 'a.js', before: value('[\n  1,\n]') }, [['of several', sent('9'), REFUSED]])
  t.end()
})

test('a rule of a style sheet is replaced where all that it sets is shown', t => {
  const before = '.a {\n  color: red;\n  margin: 0;\n}\n\n.b {\n  color: red;\n}\n'
  checkParts(t, { path: 'a.css', before }, [
    ['all', '.a {\n  color: blue;\n  margin: 0;\n}\n\n/* ... existing code ... */\n', before.replace('red', 'blue')],
    [
      'more',
      '.a {\n  color: blue;\n  margin: 0;\n  top: 0;\n}\n\n/* ... existing code ... */\n',
      before.replace('red;\n  margin: 0;', 'blue;\n  margin: 0;\n  top: 0;'),
    ],
    ['less', '.a {\n  color: blue;\n}\n\n/* ... existing code ... */\n', REFUSED],
  ])
  t.end()
})
