//! `java.lang.Module`: what the boot layer defines is remembered, so that mirrors know their modules.

use super::class_define::Packages;
use crate::link::ClassOrigin;
use crate::natives::support::*;
use crate::natives::{Res, Saved, Vmj, natives};
use ir::ClassId;
use std::sync::Arc;
use vm::{ObjId, Val};

natives! {
    "java/lang/Module" {
        "defineModule0" "(Ljava/lang/Module;ZLjava/lang/String;Ljava/lang/String;[Ljava/lang/Object;)V" = define_module;
        "defineModule0" "(Ljava/lang/Module;ZLjava/lang/String;Ljava/lang/String;[Ljava/lang/String;)V" = define_module;
        "addReads0" "(Ljava/lang/Module;Ljava/lang/Module;)V" = ignore;
        "addExports0" "(Ljava/lang/Module;Ljava/lang/String;Ljava/lang/Module;)V" = ignore;
        "addExportsToAll0" "(Ljava/lang/Module;Ljava/lang/String;)V" = ignore;
        "addExportsToAllUnnamed0" "(Ljava/lang/Module;Ljava/lang/String;)V" = ignore;
    }
}

/// Readability and exports are checked by the JDK's own code where it matters; the VM checks no access.
fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

fn define_module(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let module = non_null(arg(args, 0))?;
    let name = get_ref(vm, module, "name");
    if name.is_null() {
        return Ok(());
    }
    let name: Arc<str> = text(vm, name)?.into();
    let loader = get_ref(vm, module, "loader");
    if vm.lang.path.jdk().module_resource(&name, "module-info.class").ok().flatten().is_none() {
        // Not of the JDK's image: made at run time, for proxies.
        for package in refs(vm, arg(args, 4).as_obj()) {
            let package = text(vm, package)?.replace('.', "/");
            vm.lang.state::<Saved<Packages>>().0.insert(package, module.0);
        }
        return Ok(());
    }
    vm.lang.platform.modules.insert(name.clone(), module);
    if !loader.is_null() {
        vm.lang.platform.loaders.insert(name.clone(), loader);
    }
    // Classes used before their module was defined.
    let early: Vec<(ClassId, ObjId)> = vm
        .lang
        .classes
        .keys()
        .filter_map(|class| Some((class, vm.lang.objects.mirror(class)?)))
        .filter(|(class, _)| vm.lang.classes[*class].origin == ClassOrigin::Library)
        .collect();
    for (class, mirror) in early {
        if *vm.lang.module_of(class) == *name {
            set_ref(vm, mirror, "module", module)?;
            set_ref(vm, mirror, "classLoader", loader)?;
        }
    }
    Ok(())
}
