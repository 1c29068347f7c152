import { Command } from 'commander'
import { appCommand } from './commands/app.ts'
import { auditCommand } from './commands/audit.ts'
import { collaboratorCommand } from './commands/collaborator.ts'
import { deadLettersCommand } from './commands/dead-letter.ts'
import { doctorCommand } from './commands/doctor/doctor.ts'
import { epochCommand } from './commands/epoch.ts'
import { keyCommand } from './commands/key.ts'
import { managementKeyCommand } from './commands/management-key.ts'
import { masterKeyCommand } from './commands/master-key.ts'
import { migrateCommand } from './commands/migrate.ts'
import { serveCommand } from './commands/serve.ts'
import { startCommand } from './commands/start.ts'
import { statusCommand } from './commands/status/status.ts'
import { versionOfPackage } from './version.ts'

/** Every command. */
export function buildProgram(): Command {
  const program = new Command('chorale')
    .version(versionOfPackage(), '--version', 'print the version')
    .description('An open, self-hosted, multi-tenant chat back end.')
    .addCommand(startCommand())
    .addCommand(serveCommand())
    .addCommand(migrateCommand())
    .addCommand(appCommand())
    .addCommand(keyCommand())
    .addCommand(managementKeyCommand())
    .addCommand(collaboratorCommand())
    .addCommand(masterKeyCommand())
    .addCommand(deadLettersCommand())
    .addCommand(auditCommand())
    .addCommand(epochCommand())
    .addCommand(statusCommand())
    .addCommand(doctorCommand())
  pointToHelp(program)
  return program
}

/** A command does not inherit this from the one above it. */
function pointToHelp(command: Command): void {
  command.showHelpAfterError('(see --help)')
  for (const below of command.commands) pointToHelp(below)
}
