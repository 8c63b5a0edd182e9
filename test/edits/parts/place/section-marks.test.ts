import { test } from 'tap'
import { checkParts } from '../../../helpers/part-cases.ts'

const method = (name: string, body = 'items'): string => `  def ${name}\n    ${body}\n  end\n`
const CART =
  `class Cart\n  attr_reader :items\n\n${method('total')}\n${method('size')}\n` +
  `  private\n\n${method('check')}\n${method('clean')}end\n`
const HEADER =
  '#pragma once\n\nclass Cart {\npublic:\n    int total() const {\n        return sum;\n    }\n\n' +
  '    int size() const {\n        return count;\n    }\n\nprivate:\n    int check() {\n        return 1;\n    }\n};\n'
const EMPTY = method('empty?', 'items.empty?')

test('a new method does not become private by its place', t => {
  checkParts(t, { path: 'cart.rb', before: CART }, [
    [
      'behind all the rest',
      `class Cart\n  # ... existing code ...\n\n${EMPTY}end\n`,
      CART.replace(method('size'), `${method('size')}\n${EMPTY}`),
    ],
    [
      'behind a method that all may call',
      `class Cart\n  # ...\n${method('total', 'items.sum')}\n${EMPTY}end\n`,
      CART.replace(method('total'), `${method('total', 'items.sum')}\n${EMPTY}`),
    ],
    ['behind a private one', `class Cart\n  # ...\n${method('check', 'items.all?')}\n${EMPTY}end\n`, /leaves out/],
    [
      'behind a private one, and said so',
      `class Cart\n  # ...\n  private\n\n${method('check', 'items.all?')}\n${EMPTY}end\n`,
      CART.replace(method('check'), `${method('check', 'items.all?')}\n${EMPTY}`),
    ],
  ])
  checkParts(t, { path: 'cart.hpp', before: HEADER }, [
    [
      'of C++, behind all the rest',
      'class Cart {\n    // ... existing code ...\n\n    bool empty() const {\n        return count == 0;\n    }\n};\n',
      /leaves out/,
    ],
    [
      'of C++, behind one that all may call',
      'class Cart {\npublic:\n    // ...\n    int size() const {\n        return count;\n    }\n\n' +
        '    bool empty() const {\n        return count == 0;\n    }\n    // ...\n};\n',
      HEADER.replace(
        'return count;\n    }\n',
        'return count;\n    }\n\n    bool empty() const {\n        return count == 0;\n    }\n',
      ),
    ],
  ])
  t.end()
})

test('a new function goes under no condition that the block does not show', t => {
  const before =
    '#include <stdio.h>\n\nint add(int a) {\n    return a + 1;\n}\n\n#ifdef DEBUG\nint show(int a) {\n' +
    '    return printf("%d", a);\n}\n#endif\n\nint main(void) {\n    return add(1);\n}\n'
  const show = 'int show(int a) {\n    return printf("%d!", a);\n}\n'
  const twice = 'int twice(int a) {\n    return 2 * a;\n}\n'
  checkParts(t, { path: 'main.c', before }, [
    ['beside one under a condition', `// ...\n${show}\n${twice}// ...\n`, /leaves out/],
    ['one that is there', `// ...\n${show}// ...\n`, before.replace('%d"', '%d!"')],
  ])
  t.end()
})

test('a key at the top of a file of settings does not fall into its last section', t => {
  const before = 'title = "shop"\n\n[server]\nport = 80\nhost = "a"\n'
  checkParts(t, { path: 'app.toml', before }, [
    ['behind all the rest', '# ... existing settings ...\n\nlevel = 3\n', /leaves out/],
    ['a section', '# ... existing settings ...\n\n[client]\nlevel = 3\n', `${before}\n[client]\nlevel = 3\n`],
  ])
  t.end()
})
