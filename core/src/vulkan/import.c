#include "vulkan/state.h"

void vulkan_imports_destroy(VulkanImports *imports)
{
}
