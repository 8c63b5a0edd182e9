import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { READERS } from '../../../src/stack-trace/readers/readers.ts'

const FOLDER = join(import.meta.dirname, '../../../src/stack-trace/readers')

const kebab = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

test('a reader is asked once, and only at lines that hold one of its marks', async t => {
  t.equal(new Set(READERS).size, READERS.length)
  t.same(
    READERS.filter(({ opens, language }) => opens.length === 0 || opens.includes('') || language === ''),
    [],
  )
})

test('each reader stands in a folder of its runtime, in the file of its name, and no reader is left out', async t => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.ts'))
  const exported = new Map<string, unknown>()
  for (const file of files.filter(path => path.includes('/'))) {
    const names: Record<string, unknown> = await import(join(FOLDER, file))
    for (const [name, value] of Object.entries(names)) {
      const isReader = typeof value === 'object' && value !== null && 'opens' in value && 'read' in value
      if (!isReader) continue
      t.match(file, new RegExp(`^[a-z]+/${kebab(name)}\\.ts$`))
      exported.set(name, value)
    }
  }
  t.same(new Set(exported.values()), new Set(READERS))
})
