/** Texts about files of messages. */
export const attachments = {
  file: 'File',
  refused: 'refused by the checks of files',
  unseen: 'not to be seen yet',
}
