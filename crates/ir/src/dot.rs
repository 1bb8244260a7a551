//! The control-flow graph as DOT text, for Graphviz.

use crate::func::{Function, Origin};
use crate::names::Names;
use crate::op::Op;
use crate::text::print_inst;
use crate::types::BlockId;
use std::fmt::Write;

/// The graph of a function: a box a block with its instructions, labelled edges, exceptional edges dashed.
pub fn dot(func: &Function, names: &dyn Names) -> String {
    let mut out = String::new();
    let title = escape(&func.name);
    writeln!(out, "digraph \"{title}\" {{").expect("writing to a string");
    out += "  node [shape=box, fontname=\"monospace\"];\n";
    for (id, block) in func.blocks.iter() {
        let mut label = format!("{id}:\\l");
        let mut line = 0;
        for index in block.start..block.end {
            let Some(inst) = func.code.get(index as usize) else { break };
            let here = func.positions.get(index as usize).map_or(0, |p| p.line);
            label += &escape(&print_inst(func, inst, names));
            if here != line {
                line = here;
                label += &format!("  @{here}");
            }
            label += "\\l";
        }
        writeln!(out, "  {id} [label=\"{label}\"];").expect("writing to a string");
        print_edges(&mut out, func, id);
    }
    out + "}\n"
}

fn print_edges(out: &mut String, func: &Function, id: BlockId) {
    let block = func.blocks[id];
    let last = block.end.checked_sub(1).and_then(|i| Some((i, func.code.get(i as usize)?)));
    // Branches that no person wrote are grey.
    let hidden = last.and_then(|(i, _)| func.branch_info(i)).is_some_and(|b| b.origin == Origin::Synthetic);
    let style = if hidden { ", color=gray" } else { "" };
    let mut edge = |to: BlockId, label: &str| {
        writeln!(out, "  {id} -> {to} [label=\"{label}\"{style}];").expect("writing to a string");
    };
    match last.map(|(_, inst)| inst) {
        Some(inst) if inst.op == Op::Jump => edge(BlockId(inst.a), ""),
        Some(inst) if inst.op == Op::Br => {
            edge(BlockId(inst.b), "true");
            edge(BlockId(inst.c), "false");
        }
        Some(inst) if inst.op == Op::Switch => {
            if let Some(table) = func.tables.get(inst.b as usize) {
                // One edge a target: cases that go together stand together.
                let mut targets: Vec<BlockId> = Vec::new();
                for (_, to) in &table.cases {
                    if !targets.contains(to) {
                        targets.push(*to);
                    }
                }
                if !targets.contains(&table.default) {
                    targets.push(table.default);
                }
                for to in targets {
                    let mut label: Vec<String> =
                        table.cases.iter().filter(|(_, b)| *b == to).map(|(v, _)| v.to_string()).collect();
                    if table.default == to {
                        label.push("else".to_string());
                    }
                    edge(to, &label.join(", "));
                }
            }
        }
        // Returns and raises have no normal edge.
        _ => {}
    }
    let code = func.code.get(block.start as usize..block.end as usize).unwrap_or(&[]);
    if let Some(unwind) = block.unwind
        && code.iter().any(|i| i.op.can_raise())
    {
        writeln!(out, "  {id} -> {unwind} [style=dashed];").expect("writing to a string");
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
