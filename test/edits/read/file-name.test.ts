import { test } from 'tap'
import { nameFromLine } from '../../../src/edits/read/file-name.ts'
import { readReply } from '../../../src/edits/read/read-reply.ts'

/** What stands above the fence, the info string of the fence, and the name; null for none. */
const NAMES: Array<[above: string, info: string, path: string | null]> = [
  ['src/main.py\n', 'python', 'src/main.py'],
  ['src/main.py\n\n', 'python', 'src/main.py'],
  ['src/main.py\n\n\n', 'python', 'src/main.py'],
  ['src/main.py\n\n\n\n', 'python', 'src/main.py'],
  ['Here is `src/main.py`:\n\n\n', 'python', null],
  ['### src/main.py — where it starts\n', 'python', 'src/main.py'],
  ['**src/main.py** - the entry point\n', 'python', 'src/main.py'],
  ['`src/main.py` – prints the sum\n', 'python', null],
  ['### src/main.py – prints the sum\n', 'python', 'src/main.py'],
  ['### Node.js — the runtime\n', 'js', null],
  ['<details><summary>src/main.py</summary>\n\n', 'python', 'src/main.py'],
  ['<details>\n<summary><b>src/main.py</b></summary>\n\n', 'python', 'src/main.py'],
  ['<summary>Show the code</summary>\n\n', 'python', null],
  ['**app/\\_\\_init\\_\\_.py**\n', 'python', 'app/__init__.py'],
  ['### app/my\\_cart.py\n', 'python', 'app/my_cart.py'],
  ['app\\__init__.py\n', 'python', 'app/__init__.py'],
  ['`app\\_cart.py`\n', 'python', 'app/_cart.py'],
  ['app/\\[slug\\]/page.tsx\n', 'tsx', 'app/[slug]/page.tsx'],
  ['src\\app\\my_cart.py\n', 'python', 'src/app/my_cart.py'],
  ['</details>\n', 'python', null],
  ['dockerfile\n', '', 'dockerfile'],
  ['**makefile**\n', 'make', 'makefile'],
  ['docker/dockerfile.dev\n', '', 'docker/dockerfile.dev'],
  ['build\n', '', null],
  ['### src/main.py\n\nThis is where it starts.\n\n', 'python', 'src/main.py'],
  ['**src/main.py**\n\n- takes the sum\n- uses `round`\n\n', 'python', 'src/main.py'],
  ['## `src/main.py`\nIt prints the report:\n', 'python', 'src/main.py'],
  ['## src/main.py\nRun it:\n', 'bash', null],
  ['## src/main.py\nRun it:\n', '', null],
  ['## run.sh\n\nStarts all of it.\n', 'bash', 'run.sh'],
  ['## src/main.py\n\n## Usage\n\nCall it.\n', 'python', null],
  ['## index.html\n\nThe code of the page:\n', 'python', null],
  ['src/main.py\nIt is where it starts:\n', 'python', null],
  ['## src/main.py\n\nAdd this function:\n', 'python', 'src/main.py'],
  ['src/main.py:\n', 'python', 'src/main.py'],
  ['src/main.py：\n', '', 'src/main.py'],
  ['### src/main.py\n', 'python', 'src/main.py'],
  ['# src/main.py\n', '', 'src/main.py'],
  ['#### 1. `src/main.py`\n', 'py', 'src/main.py'],
  ['**src/main.py**\n', 'python', 'src/main.py'],
  ['**`src/main.py`**:\n', 'python', 'src/main.py'],
  ['- src/main.py\n', '', 'src/main.py'],
  ['* `src/main.py`\n', '', 'src/main.py'],
  ['1. src/main.py\n', '', 'src/main.py'],
  ['2) `src/main.py`\n', '', 'src/main.py'],
  ['> src/main.py\n', '', 'src/main.py'],
  ['"src/main.py"\n', '', 'src/main.py'],
  ['File: src/main.py\n', 'python', 'src/main.py'],
  ['**File: src/main.py**\n', 'python', 'src/main.py'],
  ['**File:** `src/main.py`\n', 'python', 'src/main.py'],
  ['Filename: `src/main.py`\n', '', 'src/main.py'],
  ['File name: src/main.py\n', '', 'src/main.py'],
  ['### File 1: `src/main.py`\n', '', 'src/main.py'],
  ['Path: src/main.py\n', '', 'src/main.py'],
  ['New file: `src/main.py`\n', '', 'src/main.py'],
  ['Файл: `src/main.py`\n', '', 'src/main.py'],
  ['Имя файла: src/main.py\n', '', 'src/main.py'],
  ['Updated file: src/main.py\n', '', 'src/main.py'],
  ['[src/main.py](src/main.py)\n', '', 'src/main.py'],
  ['=== src/main.py ===\n', '', 'src/main.py'],
  ['==> src/main.py <==\n', '', 'src/main.py'],
  ['<!-- src/index.html -->\n', 'html', 'src/index.html'],
  ['📄 src/main.py\n', '', 'src/main.py'],
  ['// src/main.ts\n', '', 'src/main.ts'],
  ['src/main.py (new file)\n', 'python', 'src/main.py'],
  ['`src/main.py` (updated)\n', 'python', 'src/main.py'],
  ['**src/main.py** (modified):\n', 'python', 'src/main.py'],
  ['src/main.py (excerpt)\n', 'python', null],
  ['src/main.py lines 3 to 9\n', 'python', 'src/main.py'],
  ['__init__.py\n', 'python', '__init__.py'],
  ['pkg/__init__.py\n', 'python', 'pkg/__init__.py'],
  ['__pkg/a.py__\n', 'python', 'pkg/a.py'],
  ['.gitignore\n', '', '.gitignore'],
  ['.github/workflows/ci.yml\n', 'yaml', '.github/workflows/ci.yml'],
  ['.env.local\n', '', '.env.local'],
  ['app/[slug]/page.tsx\n', 'tsx', 'app/[slug]/page.tsx'],
  ['app/(auth)/page.tsx\n', 'tsx', 'app/(auth)/page.tsx'],
  ['src/routes/+page.svelte\n', 'svelte', 'src/routes/+page.svelte'],
  ['`app/[...all]/page.tsx`\n', '', 'app/[...all]/page.tsx'],
  ['src\\main.py\n', '', 'src/main.py'],
  ['Dockerfile\n', 'dockerfile', 'Dockerfile'],
  ['Makefile\n', 'make', 'Makefile'],
  ['LICENSE\n', '', 'LICENSE'],
  ['bin/run\n', '', 'bin/run'],
  ['go.mod\n', '', 'go.mod'],
  ['`My Notes.md`\n', '', 'My Notes.md'],
  ['File: My Notes.md\n', '', 'My Notes.md'],
  ['My Notes.md\n', '', null],
  ['run.sh\n', 'bash', 'run.sh'],
  ['**run.sh**\n', 'bash', 'run.sh'],
  ['requirements.txt\n', 'text', 'requirements.txt'],
  ['Run `run.sh`:\n', 'bash', null],
  ['Save it as `run.sh` and go:\n', 'bash', null],
  ['Running `main.py` prints:\n', '', null],
  ['`main.py` prints:\n', 'text', null],
  ['Here is the updated `src/main.py`:\n', 'python', 'src/main.py'],
  ['Create `src/main.py`:\n', '', 'src/main.py'],
  ['Here is src/main.py as you asked:\n', 'python', null],
  ['Then call `src/main.py` and `src/b.py`:\n', 'python', null],
  ['Install the dependencies:\n', '', null],
  ['Example\n', 'python', null],
  ['Usage:\n', '', null],
  ['Use `fs.readFile`:\n', 'js', null],
  ['The result in `data.json`:\n', 'python', null],
  ['### Node.js\n', 'js', null],
  ['http://localhost:3000/a.js\n', '', null],
  ['input/output:\n', '', null],
  ['src/main.py:42\n', 'python', 'src/main.py'],
  ['`src/main.py:42`\n', 'bash', null],
  ['src/main.py#L3-L9\n', 'python', 'src/main.py'],
  ['### `src/main.py` (lines 3-9)\n', 'python', 'src/main.py'],
  ['see line 42\n', 'python', null],
  ['python main.py\n', '', null],
  ['**1. src/main.py**\n', '', 'src/main.py'],
  ['[src/main.py]\n', '', 'src/main.py'],
  ['(src/main.py)\n', '', 'src/main.py'],
  ['--- src/main.py ---\n', '', 'src/main.py'],
  ['[NEW] `src/main.py`\n', '', 'src/main.py'],
  ['_src/main.py_\n', '', 'src/main.py'],
  ['src/main.py ⬇️\n', '', 'src/main.py'],
  ['src/main.py file:\n', '', 'src/main.py'],
  ['File: `run.sh`\n', 'bash', 'run.sh'],
  ['### `bin/console`\n', '', 'bin/console'],
  ['**Main application (src/main.py):**\n', 'python', 'src/main.py'],
  ['## Step 1: `src/main.py`\n', '', 'src/main.py'],
  ['**[src/main.py](src/main.py)**\n', '', 'src/main.py'],
  ['./src/main.py\n', '', 'src/main.py'],
  ['Файл src/main.py:\n', '', 'src/main.py'],
  ['Новый файл: src/main.py\n', '', 'src/main.py'],
  ['Вот обновлённый файл `src/main.py`:\n', 'python', 'src/main.py'],
  ['Содержимое `src/main.py`:\n', 'python', 'src/main.py'],
  ['Запустите `src/main.py`:\n', '', null],
  ['Вывод `src/main.py`:\n', '', null],
  ['Datei: `src/main.py`\n', '', 'src/main.py'],
  ['Neue Datei: src/main.py\n', '', 'src/main.py'],
  ['Erstelle die Datei `src/main.py`:\n', 'python', 'src/main.py'],
  ['Ausgabe von `src/main.py`:\n', '', null],
  ['Führe `src/main.py` aus:\n', 'python', null],
  ['文件：`src/main.py`\n', '', 'src/main.py'],
  ['文件名：src/main.py\n', '', 'src/main.py'],
  ['创建文件 `src/main.py`：\n', 'python', 'src/main.py'],
  ['运行 `src/main.py`：\n', '', null],
  ['ファイル: `src/main.py`\n', '', 'src/main.py'],
  ['Fichier : `src/main.py`\n', '', 'src/main.py'],
  ['Archivo: `src/main.py`\n', '', 'src/main.py'],
]

test('a block has the name that stands above it, and no other', async t => {
  for (const [above, info, path] of NAMES) {
    const { files } = readReply(`Some words.\n\n${above}\`\`\`${info}\nx = 1\n\`\`\`\n`)
    t.same(
      files.map(file => file.path),
      path === null ? [] : [path],
      JSON.stringify([above, info]),
    )
  }
})

test('a label names one file, and a sentence is checked against the language of the fence', async t => {
  const pathOf = (line: string, language = ''): string | undefined => nameFromLine(line, language)?.path
  t.equal(pathOf('File: a.py`'), 'a.py', 'a quote that is not opened')
  t.equal(pathOf('File: `a.py` and `b.py`'), undefined)
  t.equal(pathOf('File: `a.py` with some more words behind it'), undefined)
  t.equal(pathOf('File: `a.py` prints'), undefined)
  t.equal(pathOf(`${'new '.repeat(16)}file: a b.py`), undefined, 'a label that is too long')
  t.equal(pathOf('Step 1: my notes.md'), undefined)
  t.equal(pathOf('See also: a.py'), undefined, 'words that are no label')
  t.equal(pathOf('It was tested with: `a.py`', 'python'), undefined)
  t.equal(pathOf('Create `a.py` like this:'), undefined, 'without a language the name ends the sentence')
  t.equal(pathOf('Create `a.py` like this:', 'python'), 'a.py')
  t.equal(pathOf('Create `a.js` like this:', 'python'), undefined)
  t.equal(pathOf('Create `a.js` like this:', 'brainfuck'), 'a.js')
  t.equal(pathOf('Create `run.sh` like this:', 'bash'), undefined)
  t.equal(pathOf('a.py (new)', 'bash'), undefined)
  t.equal(pathOf(`${'x'.repeat(598)}.py`), undefined)
  t.match(nameFromLine('Change `a.py`:', 'python'), { named: 'part' })
  t.match(nameFromLine('In `a.py`:', 'python'), { named: 'part' })
  t.match(nameFromLine('The new `a.py`:', 'python'), { named: 'sentence' })
})
