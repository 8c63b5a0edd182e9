import { test } from 'tap'
import { withRecipeTabs } from '../../../src/edits/apply/recipe-tabs.ts'
import { checkReplies, diffOf, fenced } from '../../helpers/reply-cases.ts'

const MAKE =
  'CC = gcc\n\nall: main.o\n\t$(CC) -o main main.o\n\nclean:\n\trm -f main\nifdef DEBUG\n\techo clean\nendif\n\n.PHONY: all clean\n'
const blanks = (text: string): string => text.replaceAll('\t', '    ')

test('a recipe in blanks gets its tabs', t => {
  const before = { Makefile: MAKE }
  const other = MAKE.replace('rm -f', 'rm -rf')
  checkReplies(t, [
    ['all of the file', `Makefile\n${fenced(blanks(other), 'make')}`, { Makefile: other }, before],
    ['a new file', `Makefile\n${fenced(blanks(MAKE), 'make')}`, { Makefile: MAKE }, {}],
    ['a part of another name', `rules.mk\n${fenced(blanks(MAKE), 'make')}`, { 'rules.mk': MAKE }, {}],
    [
      'an added line of a diff',
      diffOf('@@ -6,2 +6,3 @@\n clean:\n \trm -f main\n+    rm -f *.o\n', 'Makefile'),
      { Makefile: MAKE.replace('rm -f main\n', 'rm -f main\n\trm -f *.o\n') },
      before,
    ],
    [
      'lines that go on keep what they are further in',
      `Makefile\n${fenced('a:\n  for x in 1 2; do \\\n    echo $$x; \\\n  done', '')}`,
      { Makefile: 'a:\n\tfor x in 1 2; do \\\n\t  echo $$x; \\\n\tdone\n' },
      {},
    ],
  ])
  t.end()
})

test('what is no command keeps its blanks', t => {
  const same = (text: string, path = 'Makefile') => t.equal(withRecipeTabs(path, text, undefined), text)
  same('ifdef X\n  FLAGS = -g\nendif\n')
  same('all:\n\techo\n  ifdef X\n\techo x\n  endif\n')
  same('SRC = a.c \\\n  b.c\n')
  same('all: a \\\n  b\n\techo\n')
  same('all:\n\techo\n\ndefine BODY\n  a: b\n    c\nendef\n')
  same('define RULE\na:\n    echo\nendef\n')
  same('.RECIPEPREFIX = >\nall:\n  x\n')
  same('all:\n    echo\n', 'compose.yml')
  t.equal(withRecipeTabs('Makefile', 'all:\n    echo\n', 'all:\n    echo\n'), 'all:\n    echo\n', 'as it was before')
  t.end()
})
