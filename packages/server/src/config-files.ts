import { Type } from 'typebox'

export const fileSettings = {
  FILES_FOLDER: Type.String({
    default: '',
    description:
      'Folder for the files of messages, which the api part hands out; every process with the parts ' +
      'api or worker needs it. Empty: none.',
  }),
  FILES_URL: Type.String({
    default: '',
    description:
      'How clients reach `/files/` of the api part, as in `https://files.example.com`: best a host of ' +
      'its own. Needed with `FILES_FOLDER`.',
  }),
  FILES_S3_ENDPOINT: Type.String({
    default: '',
    description:
      'Instead of a folder, a store that speaks S3, as in `https://s3.eu-central-1.amazonaws.com`. ' +
      'Clients bring files to it and read them from it. Empty: none.',
  }),
  FILES_S3_REGION: Type.String({ default: 'us-east-1', description: 'Its region.' }),
  FILES_S3_BUCKET: Type.String({ default: '', description: 'Its bucket.' }),
  FILES_S3_PREFIX: Type.String({
    default: '',
    pattern: '^$|^[A-Za-z0-9_/-]+/$',
    description: 'What every key in the bucket begins with, as in `chat/`.',
  }),
  FILES_S3_ACCESS_KEY_ID: Type.String({ default: '', description: 'Key of the bucket.' }),
  FILES_S3_SECRET_ACCESS_KEY: Type.String({ default: '', description: 'Its secret.' }),
  FILES_S3_STYLE: Type.Unsafe<'path' | 'host'>({
    type: 'string',
    enum: ['path', 'host'],
    default: 'path',
    description: 'Whether the bucket begins the path of an address, or the name of the host.',
  }),
  FILES_S3_UPLOADS: Type.Unsafe<'post' | 'put'>({
    type: 'string',
    enum: ['post', 'put'],
    default: 'post',
    description: 'How clients bring files that come whole; `put` where the store takes no forms.',
  }),
  FILES_PUBLIC_URL: Type.String({
    default: '',
    description:
      'Where everybody may read the bucket, by choice: addresses are then neither signed nor do they ' +
      'end. Empty: nobody may.',
  }),
  FILES_MAX_BYTES: Type.Integer({
    default: 104_857_600,
    minimum: 1,
    description: 'Of one file.',
  }),
  FILES_APP_BYTES: Type.Integer({
    default: 0,
    minimum: 0,
    description: 'Of all files of an app; 0: no limit.',
  }),
  FILES_USER_BYTES: Type.Integer({
    default: 0,
    minimum: 0,
    description: 'Of all files that a user has sent; 0: no limit.',
  }),
  FILES_ADDRESS_SECONDS: Type.Integer({
    default: 3600,
    minimum: 10,
    maximum: 604_800,
    description: 'How long the address of a file is valid, at most; half as long at least.',
  }),
  FILES_UNUSED_SECONDS: Type.Integer({
    default: 86_400,
    minimum: 1,
    description: 'After so long a file is removed that no message names, whole or not.',
  }),
  FILES_CHECK: Type.Unsafe<'on' | 'off'>({
    type: 'string',
    enum: ['on', 'off'],
    default: 'on',
    description:
      'Whether files are checked, and pictures written anew, before others than their sender see ' +
      'them. `off`: everybody sees them as they were brought.',
  }),
  FILES_CHECK_PROCESSES: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 64,
    description: 'Processes of a worker that look into files, at most. They end when idle.',
  }),
  FILES_CHECK_MEMORY_MB: Type.Integer({
    default: 512,
    minimum: 128,
    description: 'For what each of them reads and makes: a file that needs more is refused.',
  }),
  FILES_CHECK_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 250,
    description: 'For one file: one that takes longer is refused.',
  }),
  FILES_MAX_PIXELS: Type.Integer({
    default: 50_000_000,
    minimum: 1,
    description: 'Of a picture, all frames together: a larger one is refused.',
  }),
  CLAMAV_SOCKET: Type.String({
    default: '',
    pattern: '^$|^/.+|^[^/]+:[0-9]+$',
    description:
      'Where ClamAV listens, as in `/run/clamav/clamd.ctl` or `clamav:3310`: files are scanned for ' +
      'viruses there. While it is away, files wait. Empty: they are not scanned.',
  }),
  FILES_FFMPEG: Type.String({
    default: 'ffmpeg',
    description:
      'The program that finds out how long sound and video are, how loud, and how they look; ' +
      '`ffprobe` is beside it. Where it is not installed nothing is found out. Empty: never.',
  }),
}
