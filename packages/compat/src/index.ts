export * as CometChat from './cometchat.ts'
