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
  ['a name before the language', fenced('x = 1', 'src/n.py python'), { 'src/n.py': 'x = 1\n' }],
  [
    'a comment with a remark',
    fenced('# src/n.py - the loader\nx = 1', 'python'),
    { 'src/n.py': '# src/n.py - the loader\nx = 1\n' },
  ],
  [
    'a comment in a diff',
    fenced(`# src/app.py\n-    with open(path, "w") as f:\n+    with open(path, "a") as f:`),
    SAVED_APP,
  ],
  ['numbers close to the lines', `n.py\n${fenced('1|import os\n2|x = 1', 'python')}`, { 'n.py': 'import os\nx = 1\n' }],
  ['backslashes of folders', `app\\cart.py\n${fenced('x = 1', 'python')}`, { 'app/cart.py': 'x = 1\n' }],
]
const ASIDE: Case[] = [
  ['a call', `${MAIN}Call it like this:\n\n${fenced('x(1)', 'python')}`, MAIN_FILE],
  ['what the page shows', `${MAIN}The page shows:\n\n${fenced('1 item', '')}`, MAIN_FILE],
  ['what one will see', `${MAIN}You should see\n\n${fenced('done', '')}`, MAIN_FILE],
  ['what the response is like', `${MAIN}The response looks like this:\n\n${fenced('{"a": 1}', 'json')}`, MAIN_FILE],
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
  ['code that is given a name', `${MAIN}A loader that waits; call it \`load_slowly\`.\n\n${py}`, MAIN_FILE, 1],
  ['code that can now do more', `${MAIN}The client can now use retries:\n\n${py}`, MAIN_FILE, 1],
  [
    'settings that look so',
    `${MAIN}The configuration looks like this:\n\n${fenced('debug: true', 'yaml')}`,
    MAIN_FILE,
    1,
  ],
  [
    'settings that something shows',
    `${MAIN}The form shows these settings:\n\n${fenced('debug: true', 'yaml')}`,
    MAIN_FILE,
    1,
  ],
  [
    'settings without which there are errors',
    `${MAIN}It returns errors unless this is there:\n\n${fenced('debug: true', 'yaml')}`,
    MAIN_FILE,
    1,
  ],
  ['what runs at the end', `${MAIN}What runs on exit:\n\n${fenced('{"hook": "x"}', 'json')}`, MAIN_FILE, 1],
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

const OLD_LINE = '    with open(path, "w") as f:'
const NEW_LINE = '    with open(path, "a") as f:'
const PAIR = { old_str: `${OLD_LINE}\n`, new_str: `${NEW_LINE}\n` }
const parameter = (name: string, value: string): string => `<parameter name="${name}">${value}</parameter>\n`
const invoke = (...parameters: Array<[name: string, value: string]>): string =>
  `<function_calls>\n<invoke name="str_replace_editor">\n${parameters.map(own => parameter(...own)).join('')}</invoke>\n</function_calls>\n`
const CALLS: Case[] = [
  [
    'Cline, in its old marks',
    `<replace_in_file>\n<path>src/app.py</path>\n<diff>\n<<<<<<< SEARCH\n${OLD_LINE}\n=======\n${NEW_LINE}\n>>>>>>> REPLACE\n</diff>\n</replace_in_file>\n`,
    SAVED_APP,
  ],
  [
    'Cline, in its new marks',
    `<replace_in_file>\n<path>src/app.py</path>\n<diff>\n------- SEARCH\n${OLD_LINE}\n=======\n${NEW_LINE}\n+++++++ REPLACE\n</diff>\n</replace_in_file>\n`,
    SAVED_APP,
  ],
  [
    'an edit with path, old and new',
    `<edit>\n<path>src/app.py</path>\n<old>\n${OLD_LINE}\n</old>\n<new>\n${NEW_LINE}\n</new>\n</edit>\n`,
    SAVED_APP,
  ],
  [
    'several edits of one path',
    `<file_edit>\n<path>src/app.py</path>\n<edits>\n<edit>\n<old_text>${OLD_LINE}</old_text>\n<new_text>${NEW_LINE}</new_text>\n</edit>\n<edit>\n<old_text>import os</old_text>\n<new_text>import re</new_text>\n</edit>\n</edits>\n</file_edit>\n`,
    { 'src/app.py': SAVED.replace('import os', 'import re') },
  ],
  [
    'a call between tags',
    invoke(['command', 'str_replace'], ['path', 'src/app.py'], ['old_str', OLD_LINE], ['new_str', NEW_LINE]),
    SAVED_APP,
  ],
  ['a call that only looks', `${MAIN}${invoke(['command', 'view'], ['path', 'src/app.py'])}`, MAIN_FILE],
  [
    'a call that creates',
    invoke(['command', 'create'], ['path', 'x.py'], ['file_text', 'X = 1\n']),
    { 'x.py': 'X = 1\n' },
  ],
  [
    'a call that inserts',
    invoke(['command', 'insert'], ['path', 'src/app.py'], ['insert_line', '1'], ['new_str', 'import re']),
    { 'src/app.py': APP.replace('import os\n', 'import os\nimport re\n') },
  ],
  [
    'an artifact under the name of a file',
    '<antArtifact identifier="x" type="application/vnd.ant.code" title="x.py">\nX = 1\n</antArtifact>\n',
    { 'x.py': 'X = 1\n' },
  ],
  [
    'an artifact with a title',
    `${MAIN}<antArtifact identifier="x" type="application/vnd.ant.code" title="The loader">\nX = 1\n</antArtifact>\n`,
    MAIN_FILE,
    1,
  ],
  [
    'actions of a shell and of a file',
    '<boltArtifact id="a">\n<boltAction type="file" filePath="x.js">\nx = 1\n</boltAction>\n<boltAction type="shell">\nnpm i\n</boltAction>\n</boltArtifact>\n',
    { 'x.js': 'x = 1\n' },
  ],
  ['a call in JSON', `Now:\n${JSON.stringify({ path: 'src/app.py', ...PAIR }, null, 2)}\nDone.\n`, SAVED_APP],
  [
    'a call in JSON in a fence',
    fenced(JSON.stringify({ name: 'Edit', input: { file_path: 'src/app.py', ...PAIR } }), 'json'),
    SAVED_APP,
  ],
  [
    'calls as a service answers them',
    JSON.stringify([
      { type: 'function', function: { name: 'write_file', arguments: '{"path":"x.py","content":"X = 1\\n"}' } },
    ]),
    { 'x.py': 'X = 1\n' },
  ],
  [
    'a call for all places',
    `${MAIN}${JSON.stringify({ path: 'src/app.py', ...PAIR, replace_all: true })}`,
    MAIN_FILE,
    1,
  ],
  ['a call that is no JSON', `${MAIN}{"path": "src/app.py",\n"old_str": "with "w"",\n"new_str": ""}\n`, MAIN_FILE, 1],
  ['a stale call', `${MAIN}${JSON.stringify({ path: 'src/app.py', old_str: 'x', new_str: 'y' })}`, MAIN_FILE, 1],
  [
    'a call behind the mark of a server',
    `${MAIN}<|python_tag|>${JSON.stringify({ name: 'str_replace', parameters: { path: 'src/app.py', ...PAIR } })}<|eom_id|>\n`,
    { ...MAIN_FILE, ...SAVED_APP },
  ],
  [
    'a call in a function tag',
    `${MAIN}<function=edit_file>${JSON.stringify({ path: 'src/app.py', ...PAIR })}</function>\n`,
    { ...MAIN_FILE, ...SAVED_APP },
  ],
  [
    'a call in JSON between tags',
    `${MAIN}<tool_call>\n${JSON.stringify({ name: 'MultiEdit', arguments: { file_path: 'src/app.py', edits: [PAIR] } })}\n</tool_call>\n`,
    { ...MAIN_FILE, ...SAVED_APP },
  ],
  [
    'a call with parameters behind signs',
    `<tool_call>\n<function=str_replace_based_edit_tool>\n<parameter=command>\nstr_replace\n</parameter>\n` +
      `<parameter=path>\nsrc/app.py\n</parameter>\n<parameter=old_str>\n${OLD_LINE}\n</parameter>\n` +
      `<parameter=new_str>\n${NEW_LINE}\n</parameter>\n</function>\n</tool_call>\n`,
    SAVED_APP,
  ],
  [
    'a call between tags that only looks',
    `${MAIN}<tool_call>{"name": "view", "path": "src/app.py"}</tool_call>\n`,
    MAIN_FILE,
  ],
  [
    'a call between tags for all places',
    `${MAIN}<tool_call>${JSON.stringify({ path: 'src/app.py', ...PAIR, replace_all: true })}</tool_call>\n`,
    MAIN_FILE,
    1,
  ],
  [
    'a call in JSON that deletes a file',
    `${MAIN}<tool_call>{"name": "delete_file", "arguments": {"path": "src/app.py"}}</tool_call>\n`,
    MAIN_FILE,
    1,
  ],
  [
    'a call in JSON that runs a command that deletes',
    `${MAIN}<tool_call>{"name": "bash", "arguments": {"command": "rm src/app.py"}}</tool_call>\n`,
    MAIN_FILE,
    1,
  ],
  [
    'a call in JSON that runs a shell that deletes',
    `${MAIN}<tool_call>{"name": "shell", "arguments": {"command": ["bash", "-lc", "rm src/app.py"]}}</tool_call>\n`,
    MAIN_FILE,
    1,
  ],
  [
    'a call in JSON that writes a file by a command',
    `${MAIN}<tool_call>` +
      JSON.stringify({ name: 'bash', arguments: { command: "cat > x.py <<'EOF'\nX = 1\nEOF" } }) +
      '</tool_call>\n',
    { ...MAIN_FILE, 'x.py': 'X = 1\n' },
  ],
  [
    'a call in JSON that runs the tests',
    `${MAIN}<tool_call>{"name": "bash", "arguments": {"command": "pytest -q && rm -rf dist"}}</tool_call>\n`,
    MAIN_FILE,
  ],
  [
    'a call with a command as its parameter',
    `${MAIN}<invoke name="bash">\n<parameter name="command">rm src/app.py</parameter>\n</invoke>\n`,
    MAIN_FILE,
    1,
  ],
  [
    'a call with a document as its parameter',
    `${MAIN}<invoke name="bash">\n<parameter name="command">cat > x.py <<'EOF'\nX = 1\nEOF</parameter>\n</invoke>\n`,
    { ...MAIN_FILE, 'x.py': 'X = 1\n' },
  ],
  [
    'a command between tags that changes a file',
    `${MAIN}<execute_command>\n<command>sed -i s/1/2/ src/app.py</command>\n` +
      '<requires_approval>false</requires_approval>\n</execute_command>\n',
    MAIN_FILE,
    1,
  ],
  [
    'a command between tags that changes nothing',
    `${MAIN}<execute_command>\n<command>npm test</command>\n` +
      '<requires_approval>false</requires_approval>\n</execute_command>\n',
    MAIN_FILE,
  ],
  ['a command in a tag of one line', `${MAIN}<bash>rm src/app.py</bash>\n`, MAIN_FILE, 1],
  [
    'a command of an action that deletes',
    `${MAIN}<boltAction type="shell">\nrm src/app.py\n</boltAction>\n`,
    MAIN_FILE,
    1,
  ],
  ['a command of an action', `${MAIN}<boltAction type="shell">npm install</boltAction>\n`, MAIN_FILE],
  ['a tag that deletes a file', `${MAIN}<delete_file>\n<path>src/app.py</path>\n</delete_file>\n`, MAIN_FILE, 1],
  ['data in the prose', `${MAIN}The limit is\n{"name": "shop", "limit": 3}\n`, MAIN_FILE],
]

const sh = (...lines: string[]): string => fenced(lines.join('\n'), 'bash')
const X = { 'x.py': 'X = "$HOME"\n' }
const BODY = 'X = "$HOME"'
const SHELL: Case[] = [
  ['a document', sh('mkdir -p src', "cat > x.py <<'EOF'", BODY, 'EOF', 'chmod +x x.py'), X],
  ['a document before its file', sh("cat <<'EOF' > x.py", BODY, 'EOF'), X],
  ['a document for tee', sh("tee x.py > /dev/null <<'EOF'", BODY, 'EOF'), X],
  ['a document behind a prompt', fenced(`$ cat > x.py <<'EOF'\n${BODY}\nEOF\n$ python x.py`, ''), X],
  ['a document without quotes that has no variables', sh('cat > x.py <<EOF', 'X = 1', 'EOF'), { 'x.py': 'X = 1\n' }],
  ['tabs before a document', sh("cat > x.py <<-'EOF'", `\t${BODY}`, '\tEOF'), X],
  ['a document under the name of its file', `x.py\n${sh("cat > x.py <<'EOF'", BODY, 'EOF')}`, X],
  ['a diff for patch', sh("patch -p1 <<'EOF'", `${NAMES}${HUNK}EOF`), SAVED_APP],
  ['variables in a document', `${MAIN}${sh('cat > x.py <<EOF', BODY, 'EOF')}`, MAIN_FILE, 1],
  ['a document in a folder that is entered', `${MAIN}${sh('cd src', "cat > x.py <<'EOF'", BODY, 'EOF')}`, MAIN_FILE, 1],
  ['a document that does not end', `${MAIN}${sh("cat > x.py <<'EOF'", BODY)}`, MAIN_FILE, 1],
  [
    'a document that is added',
    sh("cat >> src/app.py <<'EOF'", BODY, 'EOF'),
    {
      'src/app.py': `${APP}${BODY}
`,
    },
  ],
  [
    'a document that tee adds',
    sh("tee -a src/app.py <<'EOF'", BODY, 'EOF'),
    {
      'src/app.py': `${APP}${BODY}
`,
    },
  ],
  [
    'a document that is added already',
    `${MAIN}${sh("cat >> src/app.py <<'EOF'", '        f.write(text)', 'EOF')}`,
    MAIN_FILE,
  ],
  ['a document beside an edit', sh("cat > x.py <<'EOF'", BODY, 'EOF', 'sed -i s/a/b/ src/app.py'), X, 1],
  ['a program that writes', `${MAIN}${sh("python - <<'EOF'", "Path('a').write_text('b')", 'EOF')}`, MAIN_FILE, 1],
  ...[
    "sed -i 's/a/b/' src/app.py",
    "sed -E -i.bak 's/a/b/' src/app.py",
    'git mv src/app.py src/main.py',
    'git rm src/app.py',
    'rm src/app.py',
    'mkdir x && mv src/app.py x/',
    'echo "*.pyc" >> .gitignore',
    "printf 'x' > x.txt",
    'Set-Content -Path a.txt -Value b',
  ].map((command): Case => [command, `${MAIN}${sh(command)}`, MAIN_FILE, 1]),
  ...[
    'rm -rf build node_modules',
    'rm *.pyc',
    'git rm --cached .env',
    'mv ~/Downloads/a.zip .',
    'cp .env.example .env',
    'python main.py > /tmp/out.txt',
    'echo "hello" > /dev/null',
    'echo "a -> b"; git apply fix.diff',
    "cat > /etc/x.conf <<'EOF'\na\nEOF",
    "psql <<'EOF'\nSELECT 1;\nEOF",
  ].map((command): Case => [command, `${MAIN}${sh(command)}`, MAIN_FILE]),
  [
    'a script in a sentence',
    `Create \`setup.sh\` with this:\n\n${sh('#!/bin/sh', 'ls')}`,
    { 'setup.sh': '#!/bin/sh\nls\n' },
  ],
  ['a script without a name', `${MAIN}All of it at once:\n\n${sh('#!/bin/sh', 'ls')}`, MAIN_FILE, 1],
  ['a command about a script', `${MAIN}Run \`./setup.sh\`:\n\n${sh('./setup.sh')}`, MAIN_FILE],
]

const RUN = { 'src/run.py': PY }
const indented = PY.replace(/^(?=.)/gm, '    ')
const TWO = { 'a.py': 'A = 1\n', 'b.py': 'B = 1\n' }
const UNFENCED: Case[] = [
  ['a fence in a quote', `src/run.py\n${py.replace(/^/gm, '> ').trimEnd()}\n`, RUN],
  [
    'tags of HTML',
    'a.py\n<pre><code class="language-python">\nif a &lt; b:\n    x = 1\n</code></pre>\n',
    { 'a.py': 'if a < b:\n    x = 1\n' },
  ],
  [
    'tags of HTML on the lines of code',
    `a.py\n\n<pre><code>a = 1\nb = 2</code></pre>\n\nDone.`,
    { 'a.py': 'a = 1\nb = 2\n' },
  ],
  ['a name in rules, with an end', `=== src/run.py ===\n${PY}=== END ===\n`, RUN],
  ['a name in rules, without one', `${MAIN}=== src/run.py ===\n${PY}\nThat is all.\n`, MAIN_FILE, 1],
  ['names in rules', `${MAIN}=== a.py ===\n${PY}=== b.py ===\n${PY}`, MAIN_FILE, 2],
  ['a label without a fence', `${MAIN}FILE: src/run.py\n${PY}`, MAIN_FILE, 1],
  ['a label above prose', `${MAIN}File: src/app.py\nThis file is fine as it is.\nNothing to do.\n`, MAIN_FILE],
  ['a label above a fence', `FILE: src/run.py\n${py}`, RUN],
  ['indented code', `src/run.py\n\n${indented}\nThat is all.\n`, RUN],
  ['an indented paragraph', `${MAIN}- src/run.py\n\n    It gives the folder\n    of the process.\n`, MAIN_FILE],
  ['lines with signs', `src/app.py\n-${OLD_LINE}\n+${NEW_LINE}\n\nDone.\n`, SAVED_APP],
  ['lines with signs that nobody names', `${MAIN}Change this:\n-${OLD_LINE}\n+${NEW_LINE}\n`, MAIN_FILE, 1],
  ['a list', `${MAIN}src/app.py\n- drops the cache\n- tries again\n+ waits\n`, MAIN_FILE],
  ['files in one fence, in rules', fenced('=== a.py ===\nA = 1\n\n=== b.py ===\nB = 1\n=== END ===', ''), TWO],
  ['one file in rules in a fence', fenced('--- a.py ---\nA = 1', ''), { 'a.py': 'A = 1\n' }],
  [
    'files in one fence, in comments',
    fenced('# a.py\nA = 1\n\n\n# b.py\nB = 1', 'python'),
    { 'a.py': '# a.py\nA = 1\n', 'b.py': '# b.py\nB = 1\n' },
  ],
  [
    'comments in a file of another name',
    `c.py\n${fenced('# a.py\nA = 1\n\n# b.py\nB = 1', 'python')}`,
    { 'c.py': '# a.py\nA = 1\n\n# b.py\nB = 1\n' },
  ],
  [
    'a comment within the code',
    fenced('# a.py\nA = 1\n# b.py\nB = 1', 'python'),
    { 'a.py': '# a.py\nA = 1\n# b.py\nB = 1\n' },
  ],
  ['a draft', `<reasoning>\nsrc/app.py\n${fenced('x = 1', 'python')}</reasoning>\n\nsrc/run.py\n${py}`, RUN],
]

for (const [kind, cases] of Object.entries({ NAMED, ASIDE, UNPLACED, CALLS, SHELL, UNFENCED })) {
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
  (path, body) => `${JSON.stringify({ command: 'create', path, file_text: body })}\n`,
  (path, body) => `<write_to_file>\n<path>${path}</path>\n<content>\n${body}</content>\n</write_to_file>\n`,
  (path, body) =>
    diffOf(`@@ -0,0 +1,${body.split('\n').length - 1} @@\n${body.replace(/^(?=.)/gm, '+')}`, path).replace(
      `--- a/${path}`,
      '--- /dev/null',
    ),
  (path, body) => `=== ${path} ===\n${body}`,
  (path, body) => `FILE: ${path}\n${body}`,
  (path, body) => `${path}\n\n${body.replace(/^(?=.)/gm, '    ')}`,
  (path, body) => fenced(`cat > ${path} <<'EOF'\n${body}EOF`, 'bash'),
  (path, body) => fenced(`=== ${path} ===\n${body}`, ''),
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
