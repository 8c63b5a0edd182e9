// Renews the fixtures of Java, Kotlin and Scala: node scripts/record-fixtures/jvm.ts
import { existsSync } from 'node:fs'
import { build, has, install, output, record } from './recorder.ts'

const cwd = install('jvm')
const JARS = '/usr/share/java'
const LOGGING = ['slf4j-api', 'logback-classic', 'logback-core'].map(name => `${JARS}/${name}.jar`)

function java(): void {
  if (!has('javac', '-version')) return
  const version = /version "(\d+)/.exec(output(['java', '-version'], { cwd }))?.[1] ?? '0'
  const name = (program: string) => `java-${version}-${program}`
  const shop = (...options: string[]) => ['java', '-cp', 'classes', ...options, 'com.acme.shop.Shop']
  const sources = ['Cart', 'Shop', 'Deadlock'].map(file => `java/com/acme/shop/${file}.java`)
  build(['javac', '-d', 'classes', ...sources], { cwd })
  for (const program of [
    'plain',
    'lambda',
    'cause',
    'suppressed',
    'circular',
    'recursion',
    'thread',
    'reflection',
    'proxy',
    'twice',
  ]) {
    record(name(program), [...shop(), program], { cwd })
  }
  record(name('hidden'), [...shop('-XX:+UnlockDiagnosticVMOptions', '-XX:+ShowHiddenFrames'), 'lambda'], { cwd })
  record(name('threads'), ['java', '-cp', 'classes', 'com.acme.shop.Deadlock'], { cwd })

  build(['javac', '-g:none', '-d', 'stripped', ...sources], { cwd })
  record(name('stripped'), ['java', '-cp', 'stripped', 'com.acme.shop.Shop', 'cause'], { cwd })

  build(
    [
      'javac',
      '--module-version',
      '1.2',
      '-d',
      'modules',
      'modular/module-info.java',
      'modular/com/acme/till/Till.java',
    ],
    { cwd },
  )
  record(name('module'), ['java', '-p', 'modules', '-m', 'acme.till/com.acme.till.Till'], { cwd })

  if (!LOGGING.every(jar => existsSync(jar))) return console.log('skipped: logback is not installed')
  const path = [...LOGGING, 'logged', 'logback'].join(':')
  build(['javac', '-cp', path, '-d', 'logged', 'logback/Logged.java'], { cwd })
  record('logback-1.2-packaging', ['java', '-cp', path, 'com.acme.logged.Logged'], { cwd })
  record('logback-1.2-rootfirst', ['java', '-Dthrowable=%rEx', '-cp', path, 'com.acme.logged.Logged'], { cwd })
}

function kotlin(): void {
  if (!has('kotlinc', '-version')) return
  const version = /kotlinc-jvm (\d+\.\d+)/.exec(output(['kotlinc', '-version'], { cwd }))?.[1] ?? '0'
  build(['kotlinc', 'kotlin/Shop.kt', '-include-runtime', '-d', 'kiosk.jar'], { cwd })
  for (const program of ['plain', 'companion', 'extension', 'cause']) {
    record(`kotlin-${version}-${program}`, ['java', '-cp', 'kiosk.jar', 'com.acme.kiosk.ShopKt', program], { cwd })
  }
}

function scala(): void {
  if (!has('scalac', '-version')) return
  const version = /version (\d+\.\d+)/.exec(output(['scalac', '-version'], { cwd }))?.[1] ?? '0'
  build(['mkdir', '-p', 'stall'], { cwd })
  build(['scalac', '-d', 'stall', 'scala/Shop.scala'], { cwd })
  for (const program of ['plain', 'match', 'cause', 'future']) {
    record(
      `scala-${version}-${program}`,
      ['java', '-cp', `${JARS}/scala-library.jar:stall`, 'com.acme.stall.Shop', program],
      { cwd },
    )
  }
}

java()
kotlin()
scala()
