import { Command } from 'commander'
import { appCommand } from './app.ts'
import { auditCommand } from './audit.ts'
import { deadLettersCommand } from './dead-letters.ts'
import { epochCommand } from './epoch.ts'
import { keyCommand } from './key.ts'
import { managementKeyCommand } from './management-key.ts'
import { masterKeyCommand } from './master-key.ts'
import { migrateCommand } from './migrate.ts'
import { serveCommand } from './serve.ts'

/** Every command. */
export function buildProgram(): Command {
  const program = new Command('chorale')
    .description('An open, self-hosted, multi-tenant chat back end.')
    .addCommand(serveCommand())
    .addCommand(migrateCommand())
    .addCommand(appCommand())
    .addCommand(keyCommand())
    .addCommand(managementKeyCommand())
    .addCommand(masterKeyCommand())
    .addCommand(deadLettersCommand())
    .addCommand(auditCommand())
    .addCommand(epochCommand())
  pointToHelp(program)
  return program
}

/** A command does not inherit this from the one above it. */
function pointToHelp(command: Command): void {
  command.showHelpAfterError('(see --help)')
  for (const below of command.commands) pointToHelp(below)
}
