// Runs a Ruby program in CRuby compiled to WebAssembly: node ruby-wasm.mjs PACKAGES_FOLDER VERSION PROGRAM
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { WASI } from 'node:wasi'

const [folder = '', version = '', program = ''] = process.argv.slice(2)
const { RubyVM } = createRequire(`${folder}/package.json`)('@ruby/wasm-wasi')
const module = await WebAssembly.compile(readFileSync(`${folder}/node_modules/@ruby/${version}-wasm-wasi/dist/ruby+stdlib.wasm`))
const wasip1 = new WASI({ version: 'preview1', preopens: { '/srv': '/srv' }, returnOnExit: true })
const { vm } = await RubyVM.instantiateModule({ wasip1, module })
// What the interpreter prints when nothing rescues an error.
vm.eval(`begin; load '${program}'; rescue Exception => error; $stderr.write error.full_message(highlight: false); end`)
