import { Argument, type Command } from 'commander'
import { EXIT_CODES_HELP } from '../exit-codes.ts'
import type { Terminal } from '../output.ts'
import { describeCommand } from '../shell/command-tree.ts'
import { completionScript, SHELLS, type Shell } from '../shell/completion.ts'
import { manualPage } from '../shell/manual.ts'

/** Adds `faultline completion` and `faultline man`, which are made of the commands that the program has. */
export function addShell(program: Command, { stdout }: Pick<Terminal, 'stdout'>): void {
  program
    .command('completion')
    .description('print the script that completes commands, options and values in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Names of projects and ids of jobs are asked for when they are completed.

Examples:
  $ source <(faultline completion bash)          # in ~/.bashrc
  $ source <(faultline completion zsh)           # in ~/.zshrc, after compinit
  $ faultline completion fish > ~/.config/fish/completions/faultline.fish`,
    )
    .action((shell: Shell) => {
      stdout.write(completionScript(shell, describeCommand(program)))
    })

  program
    .command('man')
    .description('print the manual page')
    .addHelpText('after', '\nExample:\n  $ faultline man | man -l -')
    .action(() => {
      const page = manualPage(describeCommand(program), {
        version: program.version() ?? '',
        exitCodes: EXIT_CODES_HELP,
      })
      stdout.write(page)
    })
}
