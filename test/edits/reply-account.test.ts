import fc from 'fast-check'
import { test } from 'tap'
import { applyEdits } from '../../src/edits/apply/apply-edits.ts'
import { readReply } from '../../src/edits/read/read-reply.ts'
import { runs } from '../helpers/property-runs.ts'
import { APP, diffOf, F, fenced, HUNK, NAMES, SAVED } from '../helpers/reply-cases.ts'

const PY = 'import os\n\n\ndef run():\n    return os.getcwd()\n'
const TS = 'export const answer = 42\n'
const CSS = 'body {\n  margin: 0;\n}\n'
const DIFF = fenced(NAMES + HUNK)
const py = fenced(PY, 'python')
/** A block without which a reply holds no file. */
const MAIN = `main.py\n${fenced('print(1)', 'python')}\n`
const MAIN_FILE = { 'main.py': 'print(1)\n' }
const SAVED_APP = { 'src/app.py': SAVED }

/** A reply, the files after it (all that changed, byte by byte), and how many of its edits were rejected. */
type Case = [name: string, reply: string, changed: Record<string, string>, rejected?: number]

const NAMED: Case[] = [
  [
    'a heading, then a sentence',
    `${MAIN}### src/run.py\n\nIt gives the folder.\n\n${py}`,
    { ...MAIN_FILE, 'src/run.py': PY },
  ],
  [
    'a heading in backticks, then a sentence',
    `${MAIN}## \`src/run.py\`\nThe folder:\n${py}`,
    { ...MAIN_FILE, 'src/run.py': PY },
  ],
  [
    'a numbered heading, then bullets',
    `${MAIN}### 2. src/run.py\n\n- asks the system\n- and returns it\n\n${py}`,
    { ...MAIN_FILE, 'src/run.py': PY },
  ],
  [
    'a bold name, then a sentence',
    `${MAIN}**src/run.py**\n\nIt gives the folder.\n\n${py}`,
    { ...MAIN_FILE, 'src/run.py': PY },
  ],
  [
    'a bold name, then bullets',
    `${MAIN}**\`src/run.py\`**\n- asks the system\n- and returns it\n${py}`,
    { ...MAIN_FILE, 'src/run.py': PY },
  ],
  [
    'a bold name with a colon, then a sentence',
    `${MAIN}**src/run.py:**\nThe folder of the process.\n\n${py}`,
    { ...MAIN_FILE, 'src/run.py': PY },
  ],
  [
    'a label in bold, then a sentence',
    `${MAIN}**File: src/run.py**\n\nThe folder of the process.\n\n${py}`,
    { ...MAIN_FILE, 'src/run.py': PY },
  ],
  [
    'a comment with a hash',
    `${MAIN}${fenced(`# src/run.py\n${PY}`, 'python')}`,
    { ...MAIN_FILE, 'src/run.py': `# src/run.py\n${PY}` },
  ],
  [
    'a comment with slashes',
    `${MAIN}${fenced(`// src/a.ts\n${TS}`, 'ts')}`,
    { ...MAIN_FILE, 'src/a.ts': `// src/a.ts\n${TS}` },
  ],
  [
    'a comment of a stylesheet',
    `${MAIN}${fenced(`/* css/a.css */\n${CSS}`, 'css')}`,
    { ...MAIN_FILE, 'css/a.css': `/* css/a.css */\n${CSS}` },
  ],
  [
    'a comment of a page',
    `${MAIN}${fenced('<!-- a.html -->\n<p>a</p>\n', 'html')}`,
    { ...MAIN_FILE, 'a.html': '<!-- a.html -->\n<p>a</p>\n' },
  ],
  [
    'a comment behind a shebang',
    `${MAIN}${fenced('#!/bin/sh\n# bin/a.sh\nls\n', 'sh')}`,
    { ...MAIN_FILE, 'bin/a.sh': '#!/bin/sh\n# bin/a.sh\nls\n' },
  ],
  ['a comment that names a file which lacks it', fenced(`# src/app.py\n${SAVED}`, 'python'), SAVED_APP],
  ['a comment and a blank line, of a file which lacks both', fenced(`# src/app.py\n\n${SAVED}`, 'python'), SAVED_APP],
  [
    'a name in small letters',
    `${MAIN}dockerfile\n${fenced('FROM scratch', '')}`,
    { ...MAIN_FILE, dockerfile: 'FROM scratch\n' },
  ],
  [
    'a bold name in small letters',
    `${MAIN}**makefile**\n${fenced('all:\n\techo', 'make')}`,
    { ...MAIN_FILE, makefile: 'all:\n\techo\n' },
  ],
  [
    'a language that is a name',
    `${MAIN}The image:\n\n${fenced('FROM scratch', 'dockerfile')}`,
    { ...MAIN_FILE, Dockerfile: 'FROM scratch\n' },
  ],
  [
    'a language that is a name: make',
    `${MAIN}And then\n\n${fenced('all:\n\techo', 'makefile')}`,
    { ...MAIN_FILE, Makefile: 'all:\n\techo\n' },
  ],
  [
    'a diff beside a file between tags',
    `${DIFF}\n<file path="src/run.py">\n${PY}</file>\n`,
    { ...SAVED_APP, 'src/run.py': PY },
  ],
  [
    'a diff beside a tag that creates',
    `${DIFF}\n<create_file path="src/run.py">\n${PY}</create_file>\n`,
    { ...SAVED_APP, 'src/run.py': PY },
  ],
  [
    'a tag with a path and a content inside',
    `${DIFF}\n<create_file>\n<path>src/run.py</path>\n<content>\n${PY}</content>\n</create_file>\n`,
    { ...SAVED_APP, 'src/run.py': PY },
  ],
  [
    'a tag with a fence inside',
    `${DIFF}\n<file path="src/run.py">\n${py}</file>\n`,
    { ...SAVED_APP, 'src/run.py': PY },
  ],
  [
    'a tag with a single-quoted name',
    `${DIFF}\n<write_file path='src/run.py'>\n${PY}</write_file>\n`,
    { ...SAVED_APP, 'src/run.py': PY },
  ],
  [
    'a diff beside files in JSON',
    `${DIFF}\n${fenced(JSON.stringify({ files: [{ path: 'src/run.py', content: PY }] }), 'json')}`,
    { ...SAVED_APP, 'src/run.py': PY },
  ],
  [
    'a diff beside a file in JSON',
    `${DIFF}\n${fenced(JSON.stringify({ file_path: 'src/run.py', contents: PY, action: 'create' }), 'json')}`,
    { ...SAVED_APP, 'src/run.py': PY },
  ],
  [
    'a list of files in JSON',
    `${DIFF}\n${fenced(JSON.stringify([{ filename: 'src/run.py', code: PY }]), 'json')}`,
    { ...SAVED_APP, 'src/run.py': PY },
  ],
  [
    'a stylesheet that the page asks for',
    `index.html\n${fenced('<link rel="stylesheet" href="css/a.css">', 'html')}\nThe looks:\n\n${fenced(CSS, 'css')}`,
    { 'index.html': '<link rel="stylesheet" href="css/a.css">\n', 'css/a.css': CSS },
  ],
  [
    'a script that the page asks for',
    `index.html\n${fenced('<script src="./a.js"></script>', 'html')}\nWhat it does:\n\n${fenced('alert(1)', 'js')}`,
    { 'index.html': '<script src="./a.js"></script>\n', 'a.js': 'alert(1)\n' },
  ],
  ['two blank lines', `${MAIN}src/run.py\n\n\n${py}`, { ...MAIN_FILE, 'src/run.py': PY }],
  ['three blank lines below a heading', `${MAIN}### src/run.py\n\n\n\n${py}`, { ...MAIN_FILE, 'src/run.py': PY }],
  ['a remark behind a dash', `${MAIN}### src/run.py — the folder\n${py}`, { ...MAIN_FILE, 'src/run.py': PY }],
  ['a remark behind a short dash', `${MAIN}**src/run.py** – the folder\n\n${py}`, { ...MAIN_FILE, 'src/run.py': PY }],
  ['a remark behind a hyphen', `${MAIN}- \`src/run.py\` - the folder\n${py}`, { ...MAIN_FILE, 'src/run.py': PY }],
  [
    'a summary',
    `${MAIN}<details><summary>src/run.py</summary>\n\n${py}\n</details>\n`,
    { ...MAIN_FILE, 'src/run.py': PY },
  ],
  [
    'a summary in bold below its tag',
    `${MAIN}<details>\n<summary><b>src/run.py</b></summary>\n\n${py}</details>\n`,
    { ...MAIN_FILE, 'src/run.py': PY },
  ],
  [
    'a summary in code',
    `${MAIN}<details open><summary><code>src/run.py</code></summary>\n\n${py}</details>\n`,
    { ...MAIN_FILE, 'src/run.py': PY },
  ],
  [
    'backslashes of Markdown in bold',
    `**app/\\_\\_init\\_\\_.py**\n${fenced('x = 1', 'python')}`,
    { 'app/__init__.py': 'x = 1\n' },
  ],
  [
    'backslashes of Markdown in a heading',
    `### app/my\\_cart.py\n${fenced('x = 1', 'python')}`,
    { 'app/my_cart.py': 'x = 1\n' },
  ],
  ['backslashes of folders', `app\\cart.py\n${fenced('x = 1', 'python')}`, { 'app/cart.py': 'x = 1\n' }],
]
const ASIDE: Case[] = [
  ['a command', `${MAIN}Run it:\n\n${fenced('python main.py', 'bash')}`, MAIN_FILE],
  ['a command without a language', `${MAIN}Run it:\n\n${fenced('python main.py', '')}`, MAIN_FILE],
  ['commands with prompts', `${MAIN}${fenced('$ pip install flask\n$ python main.py', '')}`, MAIN_FILE],
  ['a variable before a command', `${MAIN}${fenced('DEBUG=1 python main.py', '')}`, MAIN_FILE],
  ['an output', `${MAIN}It prints:\n\n${fenced('1', '')}`, MAIN_FILE],
  ['an output by its language', `${MAIN}${fenced('1\n2', 'output')}`, MAIN_FILE],
  [
    'a traceback',
    `${MAIN}${fenced('Traceback (most recent call last):\n  File "main.py", line 1\nE: x', '')}`,
    MAIN_FILE,
  ],
  ['a report of tests', `${MAIN}${fenced('ok 1 - works\n1 passed', 'text')}`, MAIN_FILE],
  ['a response', `${MAIN}The server returns:\n\n${fenced('{"ok": true}', 'json')}`, MAIN_FILE],
  ['an address', `${MAIN}Open\n\n${fenced('http://localhost:8000', '')}`, MAIN_FILE],
  ['a tree', `${MAIN}The layout:\n\n${fenced('app\n├── main.py\n└── run.sh', '')}`, MAIN_FILE],
  ['a list of files', `${MAIN}## Project structure\n\n${fenced('src/\nsrc/main.py\nrun.sh', '')}`, MAIN_FILE],
  ['a drawing', `${MAIN}${fenced('graph TD; A-->B', 'mermaid')}`, MAIN_FILE],
  ['an example', `${MAIN}For example:\n\n${fenced('from main import x\nx()', 'python')}`, MAIN_FILE],
  ['a section about use', `${MAIN}## Usage\n\n${fenced('from main import x\nx()', 'python')}`, MAIN_FILE],
  ['a quote of the reply', `${MAIN}The line that counts:\n\n${fenced('print(1)', 'python')}`, MAIN_FILE],
  [
    'a quote of what there was',
    `This loads:\n\n${fenced('def load(path):\n    return open(path).read()', 'python')}\n${DIFF}`,
    SAVED_APP,
  ],
  [
    'a quote with a gap',
    `See:\n\n${fenced('def load(path):\n    ...\ndef save(path, text):', 'python')}\n${DIFF}`,
    SAVED_APP,
  ],
  [
    'a quote of what comes out',
    `${DIFF}\nSo it reads\n\n${fenced('    with open(path, "a") as f:', 'python')}`,
    SAVED_APP,
  ],
  ['the format, repeated', `FILENAME\n${fenced('CODE', '')}\n${MAIN}`, MAIN_FILE],
]
const UNPLACED: Case[] = [
  ['code that nobody names', `${MAIN}And then\n\n${py}`, MAIN_FILE, 1],
  [
    'code that is to be added, beside a diff',
    `${DIFF}\nAlso add this to the settings:\n\n${fenced('LIMIT = 3', 'python')}`,
    SAVED_APP,
    1,
  ],
  ['a stylesheet that no page asks for', `${MAIN}The looks:\n\n${fenced(CSS, 'css')}`, MAIN_FILE, 1],
  [
    'a stylesheet where a page asks for two',
    `index.html\n${fenced('<link href="a.css"><link href="b.css">', 'html')}\n${fenced(CSS, 'css')}`,
    { 'index.html': '<link href="a.css"><link href="b.css">\n' },
    1,
  ],
  [
    'data that is to be added',
    `${MAIN}Add this to the configuration:\n\n${fenced('debug: true', 'yaml')}`,
    MAIN_FILE,
    1,
  ],
  [
    'settings without a language',
    `${MAIN}Put this into the environment:\n\n${fenced('API_URL=x\nLIMIT=3', '')}`,
    MAIN_FILE,
    1,
  ],
  ['two blocks', `${MAIN}One\n\n${py}\nTwo\n\n${fenced(TS, 'ts')}`, MAIN_FILE, 2],
  ['a wrapped reply beside a file', `${MAIN}${F}${F}markdown\nb.py\n${fenced('x', '')}${F}${F}\n`, MAIN_FILE, 1],
  [
    'an edit in JSON',
    `${DIFF}\n${fenced(JSON.stringify({ path: 'a.py', search: 'x', replace: 'y' }), 'json')}`,
    SAVED_APP,
    1,
  ],
  ['a tag of an edit', `${DIFF}\n<edit_file path="src/app.py">\nx = 1\n</edit_file>\n`, SAVED_APP, 1],
  ['a file between tags that is not closed', `${DIFF}\n<file path="src/run.py">\nx = 1\n`, SAVED_APP, 1],
  ['names of a diff, alone', `${DIFF}\n--- a/src/b.py\n\nand so on\n`, SAVED_APP, 1],
  [
    'a part of a file that the reply edits elsewhere',
    `In \`src/app.py\`, add:\n\n${fenced('LIMIT = 3', 'python')}\n${DIFF}`,
    SAVED_APP,
    1,
  ],
  ['a bad path in JSON', `${DIFF}\n${fenced(JSON.stringify({ path: '../a', content: 'x' }), 'json')}`, SAVED_APP, 1],
  ['a name of the wrong language', `${MAIN}### index.html\n\nThe code of the page:\n\n${py}`, MAIN_FILE, 1],
]

for (const [kind, cases] of Object.entries({ NAMED, ASIDE, UNPLACED })) {
  test(`each block of a reply has an end: ${kind.toLowerCase()}`, async t => {
    for (const [name, reply, changed, rejected = 0] of cases) {
      const read = readReply(reply)
      const outcome = applyEdits(new Map([['src/app.py', APP]]), read)
      const reasons = outcome.rejected.map(({ detail, hunkText }) => `${detail}\n${hunkText}`)
      t.same(Object.fromEntries(outcome.changed), changed, name)
      t.equal(reasons.length, rejected, `${name}: ${reasons.join('\n')}`)
    }
  })
}

const word = fc.stringMatching(/^[a-z]{4,8}$/)
const code = fc
  .array(word, { minLength: 2, maxLength: 5 })
  .map(words => words.map((name, i) => `${name}_${i} = make_${name}(${i})\n`).join(''))
/** Ways to give a file, each with whether the name is certain. */
const FORMS: Array<(path: string, body: string) => string> = [
  (path, body) => `${path}\n${fenced(body, 'python')}`,
  (path, body) => `### ${path}\n\nWhat it is.\n\n${fenced(body, 'python')}`,
  (path, body) => `**${path}**\n\n- one\n- two\n\n${fenced(body, 'python')}`,
  (path, body) => `${path}\n\n\n${fenced(body, 'python')}`,
  (path, body) => `### ${path} — remark\n${fenced(body, 'python')}`,
  (path, body) => `<details><summary>${path}</summary>\n\n${fenced(body, 'python')}</details>\n`,
  (path, body) => `<create_file path="${path}">\n${body}</create_file>\n`,
  (path, body) => `${fenced(JSON.stringify({ path, content: body }), 'json')}`,
  (path, body) =>
    diffOf(`@@ -0,0 +1,${body.split('\n').length - 1} @@\n${body.replace(/^(?=.)/gm, '+')}`, path).replace(
      `--- a/${path}`,
      '--- /dev/null',
    ),
  (_, body) => `Then this:\n\n${fenced(body, 'python')}`,
  (_, body) => `And that:\n\n${fenced(body, '')}`,
]
const PROSE = [
  '',
  'Some words.\n\n',
  `Run it:\n\n${fenced('npm test', 'bash')}\n`,
  '## Notes\n\nNothing.\n\n',
  '- a\n- b\n\n',
]

test('every block is in the account once, and none is lost where all is said to be there', async () => {
  const block = fc.tuple(fc.nat(FORMS.length - 1), word, code, fc.constantFrom(...PROSE))
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 6 }), blocks => {
      const parts = blocks.map(([form, name, body, prose], i) => {
        const path = `src/${name}${i}.py`
        const own = body.replaceAll('make_', `make_${i}_`)
        return { own, text: `${prose}${FORMS[form]?.(path, own) ?? ''}\n` }
      })
      const reply = parts.map(({ text }) => text).join('')
      const read = readReply(reply)
      const { changed, rejected } = applyEdits(new Map(), read)
      const lines = reply.split('\n')
      const fences = lines.flatMap((line, at) => (line.startsWith(F) ? [at] : []))
      for (let i = 0; i < fences.length; i += 2) {
        const [from, to] = [fences[i], fences[i + 1]]
        const own = read.regions.filter(region => region.from === from && region.to === to)
        if (own.length !== 1) throw new Error(`${own.length} regions for the block at ${from}:\n${reply}`)
      }
      if (changed.size === 0) return rejected.length > 0 // the reply as a whole is asked for again
      const kept = [...changed.values(), ...rejected.map(({ hunkText }) => hunkText)].join('\n')
      for (const { own } of parts) if (!kept.includes(own.trimEnd())) throw new Error(`lost:\n${own}\nof\n${reply}`)
      const hasAll = parts.every(({ own }) => [...changed.values()].some(text => text.includes(own.trimEnd())))
      if (rejected.length === 0 && !hasAll) throw new Error(`said to be whole:\n${reply}`)
      return true
    }),
    { numRuns: runs(1000) },
  )
})
