//! The work one function is. What is charged was found by measuring what takes longest.

use wasmparser::{
    BinaryReaderError, FuncToValidate, FuncValidator, FuncValidatorAllocations, FunctionBody,
    ModuleArity, Operator, SubType, ValidatorResources, WasmModuleResources,
};

/// What a call is, beside the bytes it is written with.
const CALL: u64 = 8;
/// What every result of a call is but the first, which alone has a register.
const MORE_RESULTS: u64 = 40;
/// What a value handed over at the end or the beginning of a block is, for each way to there.
const HANDED_OVER: u64 = 35;
/// What a variable is there that was set in the block.
const SET: u64 = 10;
/// All places are gone through for each of them, but quickly.
const QUICKLY: u64 = 32;

type Function = FuncToValidate<ValidatorResources>;
type Validator = FuncValidator<ValidatorResources>;

pub(super) fn work(
    function: Function,
    kept: FuncValidatorAllocations,
    body: &FunctionBody<'_>,
) -> Result<(u64, FuncValidatorAllocations), BinaryReaderError> {
    let ends = ends(&function);
    let mut validator = function.into_validator(kept);
    validator.read_locals(&mut body.get_binary_reader())?;
    let mut account = Account::new(&validator);
    for operator in body.get_operators_reader()?.into_iter_with_offsets() {
        let (operator, offset) = operator?;
        let called = calling(&operator, &mut validator, offset);
        let before = validator.operand_stack_height();
        validator.op(offset, &operator)?;
        let held = before.max(validator.operand_stack_height());
        account.spend(called);
        account.take(&operator, u64::from(held), arity(&operator, &mut validator, offset));
    }
    // Each value that goes in or out is put in its place with regard to all others.
    account.spend(ends * ends / 2);
    account.spend(body.range().len() as u64);
    Ok((account.closed(), validator.into_allocations()))
}

/// How many values go in and out of a function.
fn ends(function: &Function) -> u64 {
    let ty = function.resources.sub_type_at(function.ty).map(SubType::unwrap_func);
    ty.map_or(0, |ty| (ty.params().len() + ty.results().len()) as u64)
}

/// What an operator is that becomes a call, of the guest's or of the engine's.
fn calling(operator: &Operator<'_>, validator: &mut Validator, offset: usize) -> u64 {
    let is_call = matches!(
        operator,
        Operator::Call { .. }
            | Operator::CallIndirect { .. }
            | Operator::MemoryGrow { .. }
            | Operator::MemoryCopy { .. }
            | Operator::MemoryFill { .. }
            | Operator::MemoryInit { .. }
            | Operator::DataDrop { .. }
            | Operator::TableGrow { .. }
            | Operator::TableCopy { .. }
            | Operator::TableFill { .. }
            | Operator::TableInit { .. }
            | Operator::ElemDrop { .. }
    );
    if !is_call {
        return 0;
    }
    let (taken, given) = operator.operator_arity(&validator.visitor(offset)).unwrap_or_default();
    CALL + u64::from(taken) + MORE_RESULTS * u64::from(given.saturating_sub(1))
}

/// How many values go into a block that begins here, and out of it.
fn arity(operator: &Operator<'_>, validator: &mut Validator, offset: usize) -> u64 {
    let (Operator::Block { blockty } | Operator::If { blockty } | Operator::Loop { blockty }) =
        operator
    else {
        return 0;
    };
    let arity = validator.visitor(offset).block_type_arity(*blockty);
    arity.map_or(0, |(taken, given)| u64::from(taken) + u64::from(given))
}

/// A block that is still open.
#[derive(Default)]
struct Open {
    is_loop: bool,
    /// Values that go in and out.
    arity: u64,
    /// Ways that lead to its end, or if it is a loop, to its beginning.
    ways: u64,
    /// How often a variable was set in it: so many may come there with different values.
    sets: u64,
}

/// What was spent on a function so far.
struct Account {
    variables: u64,
    spent: u64,
    /// Where control comes together or goes apart.
    places: u64,
    open: Vec<Open>,
    loops: u64,
}

impl Account {
    fn new(validator: &Validator) -> Self {
        let variables = u64::from(validator.len_locals());
        Self { variables, spent: 0, places: 0, open: vec![Open::default()], loops: 0 }
    }

    fn spend(&mut self, work: u64) {
        self.spent = self.spent.saturating_add(work);
    }

    fn take(&mut self, operator: &Operator<'_>, held: u64, arity: u64) {
        match operator {
            Operator::Block { .. } => self.enter(Open { arity, ways: 1, ..Open::default() }),
            Operator::If { .. } => self.enter(Open { arity, ways: 2, ..Open::default() }),
            Operator::Loop { .. } => {
                self.enter(Open { arity, ways: 1, is_loop: true, ..Open::default() });
            }
            Operator::End => self.leave(),
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => {
                self.go(*relative_depth);
            }
            Operator::BrTable { targets } => {
                targets.targets().flatten().for_each(|depth| self.go(depth));
                self.go(targets.default());
            }
            Operator::LocalSet { .. } | Operator::LocalTee { .. } => {
                self.set(1);
            }
            _ => {}
        }
        let its = self.places_at(operator);
        self.places += its;
        self.spend(its.saturating_mul(self.variables + held));
    }

    /// How many places there are more with this. What goes around in a loop goes around in all
    /// those around it.
    fn places_at(&self, operator: &Operator<'_>) -> u64 {
        match operator {
            Operator::Loop { .. } => 4 + self.loops,
            Operator::BrTable { targets } => 1 + u64::from(targets.len()),
            Operator::Block { .. }
            | Operator::Else
            | Operator::Br { .. }
            | Operator::BrIf { .. } => 1,
            // The last three ask first whether there is anything.
            Operator::If { .. }
            | Operator::CallIndirect { .. }
            | Operator::TableGet { .. }
            | Operator::TableSet { .. } => 2,
            _ => 0,
        }
    }

    fn enter(&mut self, open: Open) {
        self.loops += u64::from(open.is_loop);
        self.open.push(open);
    }

    fn set(&mut self, times: u64) {
        if let Some(open) = self.open.last_mut() {
            open.sets += times;
        }
    }

    fn go(&mut self, depth: u32) {
        let place = (self.open.len() - 1).checked_sub(depth as usize);
        if let Some(open) = place.and_then(|place| self.open.get_mut(place)) {
            open.ways += 1;
        }
    }

    fn leave(&mut self) {
        let Open { is_loop, arity, ways, sets } = self.open.pop().unwrap_or_default();
        let arriving = HANDED_OVER * arity + SET * sets.min(self.variables);
        self.spend(ways.saturating_mul(arriving));
        self.loops -= u64::from(is_loop);
        self.set(sets);
    }

    fn closed(&self) -> u64 {
        self.spent.saturating_add(self.places.saturating_mul(self.places) / QUICKLY)
    }
}
