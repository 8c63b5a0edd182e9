import { test } from 'tap'
import { APP, app, checkReplies, diffOf, F, HUNK, of, SAVED } from '../../helpers/reply-cases.ts'

const ONE = 'import os\n\nx = os.getcwd()\n'
const TWO = 'import re\n\ny = re.compile("a")\n'

test('files between rules are read where a line ends each', async t => {
  checkReplies(t, [
    ['one', `=== a.py ===\n${ONE}=== END ===\n`, of(ONE, 'a.py')],
    ['behind a label', `FILE: a.py\n${ONE}--- END OF FILE ---\n`, of(ONE, 'a.py')],
    [
      'one right behind the other',
      `=== a.py ===\n${ONE}=== END ===\n=== b.py ===\n${TWO}=== END ===\n`,
      { ...of(ONE, 'a.py'), ...of(TWO, 'b.py') },
    ],
    [
      'with a diff right behind',
      `=== a.py ===\n${ONE}=== END ===\n${diffOf(HUNK, 'src/app.py')}`,
      { ...of(ONE, 'a.py'), ...app(SAVED) },
      app(APP) as Record<string, string>,
    ],
    ['without an end', `=== a.py ===\n${ONE}`, ['malformed']],
    ['up to the next one', `=== a.py ===\n${ONE}=== b.py ===\n${TWO}=== END ===\n`, ['malformed']],
    ['prose', '=== a.py ===\nThis file is fine as it is.\nNothing is to be done.\n=== END ===\n', {}],
    ['a bad path', `=== ../a.py ===\n${ONE}=== END ===\n`, ['bad_path']],
  ])
})

test('code without a fence below a name alone on its line is asked about', async t => {
  const other = `src/app.py\n${F}python\n${SAVED}${F}\n\n`
  checkReplies(t, [
    ['in the reply', `a.py:\n\n${ONE}`, ['malformed']],
    ['as a heading', `### a.py\n${ONE}`, ['malformed']],
    ['in bold', `**a.py**\n\n${ONE}\nThat is all.\n`, ['malformed']],
    ['behind another edit', `${other}a.py:\n\n${ONE}`, ['malformed']],
    ['a sentence that begins like code', `${other}a.py:\n\nimport os is missing there.\n`, app(SAVED)],
    ['prose', `${other}src/app.py\n\nThis file is fine as it is.\nNothing is to be done.\n`, app(SAVED)],
    ['a list of names', `${other}a.py\nb.py\nc/d.py\n`, app(SAVED)],
    ['a place in a file', `${other}src/app.py:3\n    return json.load(f)\n    return None;\n`, app(SAVED)],
  ])
})

test('indented code below a name is a file', async t => {
  const indented = (text: string, by = '    '): string => text.replaceAll(/^(?=.)/gm, by)
  checkReplies(t, [
    ['by four blanks', `a.py\n\n${indented(ONE)}`, of(ONE, 'a.py')],
    ['by a tab', `a.py\n\n${indented(ONE, '\t')}`, of(ONE, 'a.py')],
    ['with prose behind', `a.py\n\n${indented(ONE)}\nThat is all.\n`, of(ONE, 'a.py')],
    ['two of them', `a.py\n\n${indented(ONE)}\nb.py\n\n${indented(TWO)}`, { ...of(ONE, 'a.py'), ...of(TWO, 'b.py') }],
    [
      'with words right behind, which say something else',
      `a.py\n\n${indented(ONE)}Delete \`b.py\`.\n`,
      ['malformed'],
      { 'b.py': TWO },
    ],
    ['in an item of a list', `- a.py\n\n${indented(ONE)}`, {}],
    ['prose', `a.py\n\n${indented('It is fine as it is.\nNothing is to be done.\n')}`, {}],
    ['no name', `Some words.\n\n${indented(ONE)}`, {}],
    ['no blank line', `a.py\n${indented(ONE)}`, {}],
  ])
})

test('lines with signs are changes where a name stands above', async t => {
  const change = '-    with open(path, "w") as f:\n+    with open(path, "a") as f:\n'
  checkReplies(t, [
    ['below a name', `src/app.py\n\n${change}`, app(SAVED)],
    ['with context', `src/app.py\n\n-import os\n+import re\n \n \n`, app(APP.replace('import os', 'import re'))],
    ['without a name', `Change it so:\n\n${change}`, ['malformed']],
    ['a list', 'src/app.py is\n\n- short\n- fine\n+ good\n', {}],
    ['only removed lines', 'src/app.py\n\n- one\n- two\n', {}],
    ['with prose and a fence behind', `src/app.py\n\n${change}\nRun it:\n${F}bash\npython app.py\n${F}\n`, app(SAVED)],
  ])
})
