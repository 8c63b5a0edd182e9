// Renews the fixtures of Go: node scripts/record-fixtures/go.ts
import { existsSync } from 'node:fs'
import { build, has, install, output, record } from './recorder.ts'

const PACKAGES = '/usr/share/gocode' // pkg/errors and testify, as Debian installs them
const PROGRAMS = ['plain', 'index', 'error', 'recovered', 'goroutine', 'overflow', 'served', 'printed', 'generic']

function go(): void {
  if (!has('go', 'version')) return
  const cwd = install('go')
  const version = /go(\d+\.\d+)/.exec(output(['go', 'version'], { cwd }))?.[1] ?? '0'
  const env = { GOFLAGS: '-mod=mod', GOPATH: PACKAGES, GOCACHE: '/tmp/faultline-go-cache', GOPROXY: 'off' }
  build(['go', 'build', '-o', 'shop', '.'], { cwd, env })
  for (const program of PROGRAMS) record(`go-${version}-${program}`, ['./shop', program], { cwd, env })
  // without cgo: it keeps the runtime from seeing a deadlock
  build(['go', 'build', '-o', 'waiting', './stuck'], { cwd, env })
  record(`go-${version}-deadlock`, ['./waiting'], { cwd, env })
  record(`go-${version}-system`, ['./waiting'], { cwd, env: { ...env, GOTRACEBACK: 'system' } })
  record(`go-${version}-writes`, ['./shop', 'writes'], { cwd, env })
  build(['go', 'build', '-race', '-o', 'racing', '.'], { cwd, env })
  record(`go-${version}-race`, ['./racing', 'race'], { cwd, env })
  build(['go', 'build', '-trimpath', '-o', 'trimmed', '.'], { cwd, env })
  record(`go-${version}-trimmed`, ['./trimmed', 'goroutine'], { cwd, env })

  if (!existsSync(`${PACKAGES}/src/github.com/pkg/errors`)) return console.log('skipped: pkg/errors is not installed')
  build(['go', 'build', '-o', 'reading', './wrapped/main.go'], { cwd, env: { ...env, GO111MODULE: 'off' } })
  record(`go-${version}-wrapped`, ['./reading'], { cwd, env })
}

go()
