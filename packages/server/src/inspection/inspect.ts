import { checkType } from './declared-type.ts'
import { isRewritable, rewrite } from './pictures.ts'
import type { Answer, Question } from './question.ts'
import { realTypeOf } from './real-type.ts'
import { isBomb, isZip } from './zip.ts'

/** In a process with limits. What it throws ends the process. */
export async function inspect(question: Question): Promise<Answer> {
  const real = await realTypeOf(question.path)
  const checked = checkType({ name: question.name, declared: question.declared, real })
  if (checked.is === 'refused') return checked
  const { type } = checked
  if (isZip(real) && (await isBomb(question.path))) {
    return { is: 'refused', why: 'it would unpack to far more than it is' }
  }
  if (!isRewritable(type)) return { is: 'passed', type, made: [] }
  return rewrite(question, type)
}
