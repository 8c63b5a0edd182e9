import { cmake } from './compilers/cmake.ts'
import { codeFrames } from './compilers/code-frames.ts'
import { diagnostics } from './compilers/diagnostics.ts'
import { listedDiagnostics } from './compilers/listed-diagnostics.ts'
import { terraform } from './compilers/terraform.ts'
import { dart } from './dart/dart.ts'
import { dotnet } from './dotnet/dotnet.ts'
import { powershell } from './dotnet/powershell.ts'
import { elixir } from './elixir/elixir.ts'
import { goError } from './go/go-error.ts'
import { goRace } from './go/go-race.ts'
import { goTest } from './go/go-test.ts'
import { go } from './go/go.ts'
import { haskell } from './haskell/haskell.ts'
import { browser } from './javascript/browser.ts'
import { bundlers } from './javascript/bundlers.ts'
import { nodeTap } from './javascript/node-tap.ts'
import { node } from './javascript/node.ts'
import { clojure } from './jvm/clojure.ts'
import { gradle } from './jvm/gradle.ts'
import { jvmThreads } from './jvm/jvm-threads.ts'
import { jvm } from './jvm/jvm.ts'
import { scalaTest } from './jvm/scala-test.ts'
import { lua } from './lua/lua.ts'
import { addr2line } from './native/addr2line.ts'
import { native } from './native/native.ts'
import { perl } from './perl/perl.ts'
import { phpReports } from './php/php-reports.ts'
import { php } from './php/php.ts'
import { ipython } from './python/ipython.ts'
import { pytest } from './python/pytest.ts'
import { pythonRich } from './python/python-rich.ts'
import { pythonThreads } from './python/python-threads.ts'
import { pythonWarnings } from './python/python-warnings.ts'
import { python } from './python/python.ts'
import { events } from './reports/events.ts'
import { namedTests } from './reports/named-tests.ts'
import { trackers } from './reports/trackers.ts'
import { ruby } from './ruby/ruby.ts'
import { rustError } from './rust/rust-error.ts'
import { rust } from './rust/rust.ts'
import { shell } from './shell/shell.ts'
import { swift } from './swift/swift.ts'
import type { TraceReader } from '../trace-reader.ts'

/**
 * All readers, each in the folder of its runtime, in the order in which they are asked: one whose lines another could
 * take for its own stands before that one.
 */
export const READERS: readonly TraceReader[] = [
  events,
  namedTests,
  ruby,
  php,
  phpReports,
  ipython,
  pythonRich,
  pythonThreads,
  pytest,
  python,
  pythonWarnings,
  node,
  nodeTap,
  browser,
  bundlers,
  jvmThreads,
  jvm,
  clojure,
  gradle,
  scalaTest,
  goRace,
  go,
  goError,
  goTest,
  rust,
  rustError,
  perl,
  lua,
  powershell,
  terraform,
  elixir,
  haskell,
  dotnet,
  native,
  addr2line,
  dart,
  swift,
  cmake,
  trackers,
  codeFrames,
  listedDiagnostics,
  diagnostics,
  shell,
]
